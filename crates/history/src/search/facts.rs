//! The filters of a listing, as facts that a search asks for.

use backscroll_index::query::Filter;

use crate::Query;

impl Query {
    /// The same filters, for a search. Order, limit and hidden conversations are not among them.
    pub fn filters(&self) -> Vec<Filter> {
        let one = |asked: &Option<String>, filter: fn(Vec<String>) -> Filter| {
            asked.as_ref().map(|asked| filter(vec![asked.clone()]))
        };
        let mut filters: Vec<Filter> = [
            self.workspace
                .is_some()
                .then(|| Filter::Workspace(self.workspaces().map(str::to_owned).collect())),
            one(&self.mode, Filter::Mode),
            one(&self.model, Filter::Model),
            one(&self.tool, Filter::Tool),
            one(&self.title, Filter::Title),
            self.since.map(Filter::After),
            self.until.map(Filter::Before),
            (!self.surfaces.is_empty()).then(|| Filter::Surface(self.surfaces.clone())),
        ]
        .into_iter()
        .flatten()
        .collect();
        // Each must be held, so each is a fact of its own.
        filters.extend(self.has.iter().map(|has| Filter::Has(vec![*has])));
        filters
    }
}
