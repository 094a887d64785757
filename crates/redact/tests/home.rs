//! The home folder and the user's name go in every spelling.

use backscroll_redact::{HomeNames, RedactOptions, Redactor};

fn redacted(folder: &str, text: &str) -> String {
    let options = RedactOptions { home: Some(HomeNames::from_folder(folder)), ..RedactOptions::default() };
    Redactor::new(&options).expect("made so here").text(text).into_owned()
}

/// C130.
#[test]
fn every_spelling_of_a_home_goes() {
    let table = [
        ("cp /home/mirak/a.txt /home/mirak/b.txt", "cp ~/a.txt ~/b.txt"),
        ("/home/mirak/app/src/main.rs", "~/app/src/main.rs"),
        ("cd /Users/mirak && ls", "cd ~ && ls"),
        (r"C:\Users\mirak\app", r"~\app"),
        (r"c:\\Users\\mirak\\app", r"~\\app"),
        ("C:/Users/mirak/app", "~/app"),
        ("file:///home/mirak/app", "file://~/app"),
        ("file:///c%3A/Users/mirak/app", "file:///~/app"),
        ("vscode-remote://ssh-remote%2Bbox/home/mirak/app", "vscode-remote://ssh-remote%2Bbox~/app"),
        ("path=%2Fhome%2Fmirak%2Fapp", "path=~%2Fapp"),
        ("/mnt/c/Users/mirak/app", "/mnt/c~/app"),
        (".cursor/projects/home-mirak-app/x", ".cursor/projects/~-app/x"),
        (".cursor/projects/c-Users-mirak-app", ".cursor/projects/c-~-app"),
        ("-rw-r--r-- 1 mirak mirak 12 x", "-rw-r--r-- 1 ‹user› ‹user› 12 x"),
        ("mirak@box:~$ whoami", "‹user›@box:~$ whoami"),
        ("Mirak wrote this", "‹user› wrote this"),
        ("amirak mirak2 mirak_x", "amirak mirak2 mirak_x"),
    ];
    for (text, wanted) in table {
        assert_eq!(redacted("/home/mirak", text), wanted, "{text}");
    }
}

#[test]
fn the_home_of_somebody_else_goes_too() {
    let table = [
        ("/home/mirakel/app and /Users/lin.o/x", "~/app and ~/x"),
        (r"D:\users\lin\app", r"~\app"),
        ("file:///home/lin/app", "file://~/app"),
        ("GET /users/7/posts HTTP/1.1", "GET /users/7/posts HTTP/1.1"),
        ("https://shop.test/home/page", "https://shop.test/home/page"),
        (
            "src/home/page.rs ./home/x ${ROOT}/home/y /home/ /home/$USER",
            "src/home/page.rs ./home/x ${ROOT}/home/y /home/ /home/$USER",
        ),
    ];
    for (text, wanted) in table {
        assert_eq!(redacted("/home/mirak", text), wanted, "{text}");
    }
}

#[test]
fn a_name_that_everybody_has_goes_only_in_paths() {
    assert_eq!(redacted("/home/user", "the user in /home/user/app"), "the user in ~/app");
    assert_eq!(
        redacted("/root", concat!("cat /", "root/.ssh/config as root; src/", "root-x")),
        "cat ~/.ssh/config as root; src/root-x"
    );
    assert_eq!(
        redacted("/srv/people/lin", "/srv/people/lin/app; /srv/people/linus"),
        "~/app; /srv/people/linus"
    );
}
