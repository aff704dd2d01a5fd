//! A list whose places are used again.

/// A list whose places are used again once they are free, lowest last given up first.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    entries: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        if let Some(place) = self.free.pop() {
            if let Some(entry) = self.entries.get_mut(place as usize) {
                *entry = Some(value);
            }
            return place;
        }
        self.entries.push(Some(value));
        u32::try_from(self.entries.len() - 1).expect("an index of four thousand million entries does not fit in memory")
    }

    pub(crate) fn remove(&mut self, place: u32) -> Option<T> {
        let value = self.entries.get_mut(place as usize)?.take()?;
        self.free.push(place);
        Some(value)
    }

    pub(crate) fn get(&self, place: u32) -> Option<&T> {
        self.entries.get(place as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.entries.get_mut(place as usize)?.as_mut()
    }

    /// The number of places, free ones included: the size of an array with one element per place.
    pub(crate) fn places(&self) -> usize {
        self.entries.len()
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// The entries in the order of their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> + Clone {
        (0_u32..).zip(&self.entries).filter_map(|(place, entry)| entry.as_ref().map(|value| (place, value)))
    }
}
