//! Processes a file in blocks of lines on several threads. The results of the blocks are passed on
//! in the order of the file, so that they do not depend on the number of threads.

use crate::parallel::run_on_threads;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Mutex;

/// Default size of a block in bytes. A block of this size fits into the caches of a processor core.
pub const SIZE: usize = 1 << 20;

struct BlockReader<R> {
    source: R,
    /// The bytes that were read but do not belong to a block yet.
    unused: Vec<u8>,
    ended: bool,
    count: usize,
}

impl<R: Read> BlockReader<R> {
    /// Reads the next block. Returns the number of the block, counted from 0, and its bytes.
    /// Returns `None` at the end of the source. At least `size` bytes are read, unless the source
    /// ends.
    fn next(&mut self, size: usize) -> io::Result<Option<(usize, Vec<u8>)>> {
        let mut block = std::mem::take(&mut self.unused);
        while !self.ended {
            // If no line ends in the bytes that were read, the number of bytes is doubled.
            let read_size = block.len().max(size);
            block.reserve(read_size);
            self.ended = self.source.by_ref().take(read_size as u64).read_to_end(&mut block)? < read_size;
            let length = complete_lines_length(&block);
            if length > 0 && !self.ended {
                self.unused = block.split_off(length);
                break;
            }
        }
        self.count += 1;
        Ok((!block.is_empty()).then_some((self.count - 1, block)))
    }
}

/// Calls `process` for all blocks of a source on several threads. Calls `take_result` with each
/// block and its result in the order of the source.
///
/// A block is complete lines of at least `size` bytes. The bytes that remain at the end of the
/// source form the last block.
///
/// # Errors
/// Returns the first error of reading or of `take_result`.
pub fn process_blocks<T: Send, E: From<io::Error> + Send>(
    threads: usize,
    size: usize,
    source: impl Read + Send,
    process: impl Fn(&[u8]) -> T + Sync,
    take_result: impl FnMut(&[u8], T) -> Result<(), E> + Send,
) -> Result<(), E> {
    fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
    let input = Mutex::new(BlockReader { source, unused: Vec::new(), ended: false, count: 0 });
    // The first field contains results that wait for the results of earlier blocks. The second
    // field is the number of the block whose result `take_result` gets next. The last field is the
    // first error, if there was one.
    let output = Mutex::new((BTreeMap::new(), 0, take_result, Ok(())));
    let run_worker = || {
        loop {
            let next_block = lock(&input).next(size);
            let (number, block) = match next_block {
                Ok(None) => return,
                Ok(Some(numbered_block)) => numbered_block,
                Err(error) => {
                    let mut output = lock(&output);
                    let (_, _, _, outcome) = &mut *output;
                    if outcome.is_ok() {
                        *outcome = Err(error.into());
                    }
                    return;
                }
            };
            let result = process(&block);
            let mut output = lock(&output);
            let (waiting_results, next_number, take_result, outcome) = &mut *output;
            waiting_results.insert(number, (block, result));
            while outcome.is_ok()
                && let Some((block, result)) = waiting_results.remove(next_number)
            {
                *outcome = take_result(&block, result);
                *next_number += 1;
            }
            if outcome.is_err() {
                return;
            }
        }
    };
    run_on_threads(threads, run_worker);
    let (_, _, _, outcome) = output.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    outcome
}

pub fn complete_lines_length(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |index| index + 1)
}

/// A record ends with a line feed outside quotes. As in CSV readers, a quote opens a quoted field
/// only at the start of a field, and two quotes in a quoted field stand for one quote.
pub fn complete_records_length(bytes: &[u8]) -> usize {
    let (mut end, mut quote_may_open, mut in_quotes) = (0, true, false);
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        index += 1;
        match byte {
            // The first of two quotes closes the field, and the second opens it again.
            b'"' if in_quotes => (in_quotes, quote_may_open) = (false, bytes.get(index) == Some(&b'"')),
            b'"' if quote_may_open => in_quotes = true,
            b'\n' if !in_quotes => (end, quote_may_open) = (index, true),
            _ => quote_may_open = matches!(byte, b',' | b'\r'),
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks are the source in order, for any block size and number of threads.
    #[test]
    fn blocks_cover_the_file_in_order() {
        let text: String =
            (0..2000).map(|index| format!("{index},\"a\n{}\"\n", "x".repeat(index % 50))).collect::<String>() + "to";
        for (threads, size) in [(1, 1), (1, 7), (3, 16), (4, 300), (2, 1 << 20)] {
            let mut joined = Vec::new();
            let work = |block: &[u8]| (block.len(), complete_lines_length(block));
            process_blocks(threads, size, text.as_bytes(), work, |block, (length, whole)| {
                assert_eq!(block.len(), length);
                assert!(whole == length || block.ends_with(b"to"), "a line is cut");
                joined.extend_from_slice(block);
                Ok::<_, io::Error>(())
            })
            .unwrap();
            assert!(joined == text.as_bytes(), "{threads} threads, {size} bytes");
        }
    }

    #[test]
    fn first_failure_ends_the_reading() {
        let text = "a\n".repeat(1000);
        for threads in [1, 4] {
            let mut seen = 0;
            let result = process_blocks(
                threads,
                2,
                text.as_bytes(),
                |_| (),
                |_, ()| {
                    seen += 1;
                    if seen == 10 { Err(io::Error::other("the tenth")) } else { Ok(()) }
                },
            );
            assert_eq!((result.unwrap_err().to_string().as_str(), seen), ("the tenth", 10));
        }
    }

    /// Compared with the csv crate's reader: the cut is at the end of the last record.
    #[test]
    fn records_end_where_the_csv_reader_ends_them() {
        let pieces = ["a", ",", "\n", "\"", "\"\"", "\r\n", "b\"c", "\u{e4}"];
        let mut random = 1_u64;
        for _ in 0..8_000 {
            let mut text = String::new();
            for _ in 0..12 {
                // Knuth's linear congruential generator.
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text += pieces[(random >> 33) as usize % pieces.len()];
            }
            let end = complete_records_length(text.as_bytes());
            let parse = |text: &str| -> Vec<csv::ByteRecord> {
                let mut reader =
                    csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
                reader.byte_records().map(Result::unwrap).collect()
            };
            let in_two_parts: Vec<_> = [parse(&text[..end]), parse(&text[end..])].concat();
            let fields = |records: Vec<csv::ByteRecord>| -> Vec<Vec<Vec<u8>>> {
                records.iter().map(|record| record.iter().map(<[u8]>::to_vec).collect()).collect()
            };
            assert_eq!(fields(in_two_parts), fields(parse(&text)), "{text:?} cut at {end}");
            // No later cut is possible: later line feeds are inside quotes.
            let line_ends = text.match_indices('\n').map(|(index, _)| index + 1);
            for later in line_ends.filter(|&index| index > end && index < text.len()) {
                let in_two_parts = [parse(&text[..later]), parse(&text[later..])].concat();
                assert_ne!(fields(in_two_parts), fields(parse(&text)), "{text:?} might be cut at {later}");
            }
        }
    }

    /// A source that fails: earlier blocks are passed on, and the failure is returned.
    #[test]
    fn failing_source_returns_its_error() {
        /// Returns line feeds, at most five at a time, and fails when none remain.
        struct FailingSource {
            remaining: usize,
        }
        impl Read for FailingSource {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if self.remaining == 0 {
                    return Err(io::Error::other("torn off"));
                }
                let count = self.remaining.min(buffer.len()).min(5);
                buffer[..count].fill(b'\n');
                self.remaining -= count;
                Ok(count)
            }
        }
        for threads in [1, 3] {
            let source = FailingSource { remaining: 40 };
            let mut seen = 0;
            let result = process_blocks(threads, 10, source, <[u8]>::len, |block, length| {
                assert_eq!(block.len(), length);
                seen += length;
                Ok::<_, io::Error>(())
            });
            assert_eq!(result.unwrap_err().to_string(), "torn off");
            assert!(seen <= 40, "{seen} bytes, {threads} threads");
            assert!((threads > 1 || seen == 40), "{seen} bytes, {threads} threads");
        }
        assert_eq!([&b""[..], b"a", b"a\n", b"a\nbc", b"\n\n"].map(complete_lines_length), [0, 0, 2, 2, 2]);
    }
}
