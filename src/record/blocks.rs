//! A file by blocks, read by as many threads as there are processors: each block ends where the caller says that one may, and what is found in
//! them is handed on in the file's order, so that any number of threads finds the same.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Mutex;

/// Bytes of a block: what a thread has in its caches.
pub const SIZE: usize = 1 << 20;

/// Where the reading stands.
struct BlockReader<R> {
    source: R,
    /// What was read and is not yet in a block.
    rest: Vec<u8>,
    ended: bool,
    /// How many blocks there were.
    count: usize,
}

impl<R: Read> BlockReader<R> {
    /// The next block and its number; none at the end.
    fn next(&mut self, size: usize, cut: &impl Fn(&[u8]) -> usize) -> io::Result<Option<(usize, Vec<u8>)>> {
        let mut block = std::mem::take(&mut self.rest);
        while !self.ended {
            let expected = block.len().max(size);
            block.reserve(expected);
            self.ended = self.source.by_ref().take(expected as u64).read_to_end(&mut block)? < expected;
            let end = cut(&block);
            if end > 0 && !self.ended {
                self.rest = block.split_off(end);
                break;
            }
        }
        self.count += 1;
        Ok((!block.is_empty()).then_some((self.count - 1, block)))
    }
}

/// Works on all blocks of a source by so many threads, and hands on what was found in their order. `cut` says up to where a text that begins
/// where a block may begin can be one, 0 where it cannot; what is left at the end of the source is one. `size`: bytes of a block, unless
/// what may not be cut is longer.
///
/// # Errors
/// When the source cannot be read, or `take` fails.
pub fn process_blocks<T: Send, E: From<io::Error> + Send>(
    threads: usize,
    size: usize,
    source: impl Read + Send,
    cut: impl Fn(&[u8]) -> usize + Sync,
    work: impl Fn(&[u8]) -> T + Sync,
    take: impl FnMut(&[u8], T) -> Result<(), E> + Send,
) -> Result<(), E> {
    fn locked<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
        of.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
    let reading = Mutex::new(BlockReader { source, rest: Vec::new(), ended: false, count: 0 });
    // What waits for its turn, whose turn it is, and what came of it so far.
    let taking = Mutex::new((BTreeMap::new(), 0, take, Ok(())));
    let run = || {
        loop {
            let next = locked(&reading).next(size, &cut);
            let (number, block) = match next {
                Ok(None) => return,
                Ok(Some(next)) => next,
                Err(error) => {
                    let mut taking = locked(&taking);
                    if taking.3.is_ok() {
                        taking.3 = Err(error.into());
                    }
                    return;
                }
            };
            let found = work(&block);
            let mut taking = locked(&taking);
            let (waiting, turn, take, outcome) = &mut *taking;
            waiting.insert(number, (block, found));
            while outcome.is_ok()
                && let Some((block, found)) = waiting.remove(turn)
            {
                *outcome = take(&block, found);
                *turn += 1;
            }
            if outcome.is_err() {
                return;
            }
        }
    };
    run_on_threads(threads, run);
    taking.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).3
}

/// Runs the same by so many threads, this one among them, until all have come to its end.
pub fn run_on_threads(threads: usize, run: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where the system starts no more threads, those that run do all the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, &run);
        }
        run();
    });
}

/// Up to the end of the last line.
pub fn whole_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)
}

/// Up to the end of the last record: the last line end outside of quotes. As readers of CSV have it, a quote opens a field only at its
/// beginning, and two of them in a quoted field are one.
pub fn whole_records(bytes: &[u8]) -> usize {
    if !bytes.contains(&b'"') {
        return whole_lines(bytes);
    }
    let (mut end, mut begins, mut quoted) = (0, true, false);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            // Two quotes: the first ends the field and the second takes it up again.
            b'"' if quoted => (quoted, begins) = (false, bytes.get(at) == Some(&b'"')),
            b'"' if begins => quoted = true,
            b'\n' if !quoted => (end, begins) = (at, true),
            _ => begins = matches!(byte, b',' | b'\r'),
        }
    }
    end
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// What is handed on is the source, in its order, whatever the blocks and the threads.
    #[test]
    fn blocks_are_the_file() {
        let text: String =
            (0..2000).map(|at| format!("{at},\"a\n{}\"\n", "x".repeat(at % 50))).collect::<String>() + "to";
        for (threads, size) in [(1, 1), (1, 7), (3, 16), (4, 300), (2, 1 << 20)] {
            let mut met = Vec::new();
            let work = |block: &[u8]| (block.len(), whole_records(block));
            process_blocks(threads, size, text.as_bytes(), whole_records, work, |block, (length, whole)| {
                assert_eq!(block.len(), length);
                assert!(whole == length || block.ends_with(b"to"), "cut in a record");
                met.extend_from_slice(block);
                Ok::<_, io::Error>(())
            })
            .unwrap();
            assert!(met == text.as_bytes(), "{threads} threads, {size} bytes");
        }
    }

    #[test]
    fn the_first_failure_is_told_and_ends_the_reading() {
        let text = "a\n".repeat(1000);
        for threads in [1, 4] {
            let mut seen = 0;
            let end = process_blocks(
                threads,
                2,
                text.as_bytes(),
                whole_lines,
                |_| (),
                |_, ()| {
                    seen += 1;
                    if seen == 10 { Err(io::Error::other("the tenth")) } else { Ok(()) }
                },
            );
            assert_eq!((end.unwrap_err().to_string().as_str(), seen), ("the tenth", 10));
        }
    }

    /// Against csv's own reader: where it says that a record ends, and nowhere else.
    #[test]
    fn records_end_where_the_reader_of_csv_says() {
        let pieces = ["a", ",", "\n", "\"", "\"\"", "\r\n", "b\"c", "\u{e4}"];
        let mut random = 1_u64;
        for _ in 0..8_000 {
            let mut text = String::new();
            for _ in 0..12 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text += pieces[(random >> 33) as usize % pieces.len()];
            }
            let end = whole_records(text.as_bytes());
            let all = |text: &str| -> Vec<csv::ByteRecord> {
                let mut reader =
                    csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
                reader.byte_records().map(Result::unwrap).collect()
            };
            let parted: Vec<_> = [all(&text[..end]), all(&text[end..])].concat();
            let fields = |records: Vec<csv::ByteRecord>| -> Vec<Vec<Vec<u8>>> {
                records.iter().map(|record| record.iter().map(<[u8]>::to_vec).collect()).collect()
            };
            assert_eq!(fields(parted), fields(all(&text)), "{text:?} cut at {end}");
            // Further on there is no cut: one more line end would be inside of quotes.
            let later = text.match_indices('\n').map(|(at, _)| at + 1);
            for later in later.filter(|&at| at > end && at < text.len()) {
                let parted = [all(&text[..later]), all(&text[later..])].concat();
                assert_ne!(fields(parted), fields(all(&text)), "{text:?} might be cut at {later}");
            }
        }
    }

    /// A source that fails after so many bytes: what came before is handed on, and its failure is what the reading ends with.
    #[test]
    fn a_source_that_fails_is_told() {
        struct Torn(usize);
        impl Read for Torn {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if self.0 == 0 {
                    return Err(io::Error::other("torn off"));
                }
                let some = self.0.min(buffer.len()).min(5);
                buffer[..some].fill(b'\n');
                self.0 -= some;
                Ok(some)
            }
        }
        for threads in [1, 3] {
            let mut seen = 0;
            let end = process_blocks(threads, 10, Torn(40), whole_lines, <[u8]>::len, |block, length| {
                assert_eq!(block.len(), length);
                seen += length;
                Ok::<_, io::Error>(())
            });
            assert_eq!(end.unwrap_err().to_string(), "torn off");
            assert!(seen <= 40 && (threads > 1 || seen == 40), "{seen} bytes, {threads} threads");
        }
        assert_eq!([&b""[..], b"a", b"a\n", b"a\nbc", b"\n\n"].map(whole_lines), [0, 0, 2, 2, 2]);
    }
}
