//! Where bytes come from, and the numbers in them.

/// Something that can be read at any place: bytes in memory, or a file, which is never read whole.
pub trait ReadAt {
    /// How many bytes there are.
    fn size(&self) -> u64;

    /// Fills `buffer` with the bytes from `offset` on, and returns how many there were.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize;
}

impl ReadAt for &[u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        count
    }
}

impl ReadAt for Vec<u8> {
    fn size(&self) -> u64 {
        self.as_slice().size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize {
        self.as_slice().read_at(offset, buffer)
    }
}

/// Exactly `length` bytes from `offset` on.
pub(crate) fn read_exact(from: &dyn ReadAt, offset: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    (from.read_at(offset, &mut bytes) == length).then_some(bytes)
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// SQLite's variable-length number at `at`, and where it ends.
pub(crate) fn varint(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let mut number: u64 = 0;
    for index in 0..8 {
        let byte = *bytes.get(at.checked_add(index)?)?;
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((number.cast_signed(), at + index + 1));
        }
    }
    let last = *bytes.get(at.checked_add(8)?)?;
    Some(((number << 8 | u64::from(last)).cast_signed(), at + 9))
}

/// The same for a length or a size.
pub(crate) fn varint_size(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let (number, end) = varint(bytes, at)?;
    Some((usize::try_from(number).ok()?, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_are_read() {
        for (bytes, expected) in [
            (&[0x00][..], (0, 1)),
            (&[0x7f], (127, 1)),
            (&[0x81, 0x00], (128, 2)),
            (&[0xff; 9], (-1, 9)),
            (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x05], (5, 9)),
        ] {
            assert_eq!(varint(bytes, 0), Some(expected), "{bytes:?}");
        }
        for cut in [&[][..], &[0x80], &[0xff; 8]] {
            assert_eq!(varint(cut, 0), None, "{cut:?}");
        }
    }
}
