//! What transcripts hold, for those who ask about files: messages are counted, and a file is decoded only where it may name
//! output that spilled.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use backscroll_cursor_format::transcript::{count, decode};
use backscroll_model::Holding;
use memchr::memmem;

use crate::folder_listing::beginning;
use crate::in_parallel;
use crate::project_folder::ProjectFolder;
use crate::spilled_output;
use crate::transcript_files::TranscriptFile;
use crate::transcripts::LONGEST;

/// What each of these files holds, and the spilled output beside them.
pub(crate) fn of(files: &[TranscriptFile]) -> Vec<Holding> {
    let projects: HashSet<&ProjectFolder> = files.iter().filter_map(|file| file.project.as_ref()).collect();
    let spilled: HashMap<&ProjectFolder, Vec<String>> = projects
        .into_iter()
        .map(|project| (project, spilled_output::of(project).into_keys().collect()))
        .collect();
    let looked = in_parallel::each(files, |file| {
        let mut holding = Holding::of(file.dialect.layer(), &*file.path);
        let Ok((bytes, _)) = beginning(&file.path, LONGEST) else { return (holding, HashSet::new()) };
        holding.messages = Some(count(file.dialect, &bytes));
        let beside = file.project.as_ref().and_then(|project| spilled.get(project));
        let is_named = |name: &String| memmem::find(&bytes, name.as_bytes()).is_some();
        let names = if beside.is_some_and(|names| names.iter().any(is_named)) {
            spilled_output::named_in(&decode(file.dialect, &bytes, &file.origin()).value.messages)
        } else {
            HashSet::new()
        };
        (holding, names)
    });
    let mut holdings = Vec::new();
    let mut named: BTreeMap<PathBuf, HashSet<String>> = BTreeMap::new();
    for (file, (holding, names)) in files.iter().zip(looked) {
        holdings.push(holding);
        if let Some(project) = &file.project {
            named.entry(project.path.clone()).or_default().extend(names);
        }
    }
    holdings.extend(named.into_iter().filter_map(|(project, names)| spilled_output::held(&project, &names)));
    holdings
}
