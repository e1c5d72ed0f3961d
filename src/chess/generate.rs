//! t
/// t
pub fn epd(_: u64, _: usize) -> String {
    String::new()
}
