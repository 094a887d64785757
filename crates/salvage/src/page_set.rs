//! A set of page numbers: one bit for each page of the file.

/// Some of the pages of a file.
#[derive(Debug)]
pub(crate) struct PageSet {
    bits: Vec<u64>,
}

impl PageSet {
    /// No page of a file with `count` pages.
    pub(crate) fn new(count: u32) -> Self {
        Self { bits: vec![0; count as usize / 64 + 1] }
    }

    pub(crate) fn has(&self, page: u32) -> bool {
        self.bits.get(page as usize / 64).is_some_and(|bits| bits >> (page % 64) & 1 == 1)
    }

    /// Adds a page. One that the file does not have is not added.
    pub(crate) fn add(&mut self, page: u32) {
        if let Some(bits) = self.bits.get_mut(page as usize / 64) {
            *bits |= 1 << (page % 64);
        }
    }

    pub(crate) fn add_each(&mut self, pages: &[u32]) {
        for page in pages {
            self.add(*page);
        }
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(bits, more)| *bits |= more);
    }
}
