//! A listing out of an index: the same questions, asked of the same summaries, without reading a source.

use backscroll_index::{Content, Index, IndexError};

use crate::history::{History, Listing};
use crate::merge;
use crate::query::Query;

impl History {
    /// The conversations that `query` asks for, as [`list`](History::list) tells them, out of an index that is fresh. `None`
    /// if the index does not know enough.
    pub fn list_indexed(&self, index: &Index, query: &Query) -> Result<Option<Listing>, IndexError> {
        let Some(mut found) = index.findings()? else { return Ok(None) };
        let mut listing = Listing { findings: self.findings().to_vec(), ..Listing::default() };
        for (name, _) in self.named_sources() {
            listing.findings.extend(found.remove(&name).unwrap_or_default());
        }
        listing.summaries = index.summaries(query.all)?;
        // Which of two parents is told depends on the order.
        listing.summaries.sort_by(|a, b| a.id.cmp(&b.id));
        merge::link_children(&mut listing.summaries);
        listing.summaries.retain(|summary| query.wants(summary));
        query.sort(&mut listing.summaries);
        if query.needs_messages() {
            keep_wanted(index, query, &mut listing)?;
        }
        listing.summaries.truncate(query.limit.unwrap_or(usize::MAX));
        Ok(Some(listing))
    }
}

fn keep_wanted(index: &Index, query: &Query, listing: &mut Listing) -> Result<(), IndexError> {
    let mut wanted = Vec::with_capacity(listing.summaries.len());
    for summary in std::mem::take(&mut listing.summaries) {
        let is_wanted = !query.needs_messages_of(&summary)
            || match index.content(&summary.id)? {
                Ok(content) => content.is_some_and(|content: Content| query.wants_indexed(&content)),
                Err(error) => {
                    listing.unreadable.push(error);
                    false
                }
            };
        if is_wanted {
            wanted.push(summary);
        }
    }
    listing.summaries = wanted;
    Ok(())
}
