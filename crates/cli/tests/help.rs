//! What `--help` says, for every command.

#[test]
fn help_of_every_command() {
    let mut root = backscroll_cli::command().term_width(100);
    root.build();
    insta::assert_snapshot!("help", root.render_long_help().to_string());
    for command in root.get_subcommands_mut().filter(|command| command.get_name() != "help") {
        let name = format!("help_{}", command.get_name());
        let help = command.render_long_help().to_string();
        assert!(help.contains("Examples:"), "{name} has examples");
        insta::assert_snapshot!(name, help);
    }
}
