//! Protobuf messages written by hand, field after field.

/// A message under construction.
#[derive(Debug, Default, Clone)]
pub(super) struct Proto(pub(super) Vec<u8>);

impl Proto {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn number(mut self, field: u32, value: u64) -> Self {
        self.varint(u64::from(field) << 3);
        self.varint(value);
        self
    }

    pub(super) fn bytes(mut self, field: u32, value: impl AsRef<[u8]>) -> Self {
        let value = value.as_ref();
        self.varint(u64::from(field) << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub(super) fn message(self, field: u32, value: &Proto) -> Self {
        self.bytes(field, &value.0)
    }

    pub(super) fn double(mut self, field: u32, value: f64) -> Self {
        self.varint(u64::from(field) << 3 | 1);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn varint(&mut self, mut value: u64) {
        loop {
            let low = u8::try_from(value & 0x7f).expect("seven bits");
            value >>= 7;
            if value == 0 {
                self.0.push(low);
                return;
            }
            self.0.push(low | 0x80);
        }
    }
}
