use super::*;
use crate::experiment::Experiment;

#[test]
fn time_accepts_slurm_formats() {
    for text in ["90", "90:30", "25:00", "48:00:00", "2-00", "1-12:30", "1-23:59:59"] {
        assert_eq!(parse_time(text).as_deref(), Ok(text));
    }
    for text in [
        "", "-", ":", "1h", "90 ", "9;0", "25:99:99", "90:60", "1:00:60", "1-24", "1-00:60", "-12", "1-", "1:2:3:4",
        "1-2-3", "+9",
    ] {
        assert!(parse_time(text).is_err(), "{text}");
    }
}

#[test]
fn memory_is_the_largest_tables_and_256_mib() {
    let memory_for = |grid: &str, cpus: u16| {
        let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n[grid]\n{grid}\n");
        let experiment =
            Experiment::parse(&text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        shard_memory(&Plan::new(&experiment), cpus)
    };
    for (grid, cpus, mebibytes) in [
        ("'table.size' = ['1 MiB', '8 MiB', '2 MiB']", 1, 264),
        ("'table.size' = ['1 MiB', '8 MiB', '2 MiB']", 3, 280),
        ("'table.size' = ['64 KiB']", 1, 257),
        ("'table.size' = ['64 KiB']", 17, 258),
        ("'table.kind' = ['none']", 4, 256),
        ("'table.kind' = ['bounded', 'unbounded']", 1, 4096),
        // In a match a job has two tables: its player's, and the 4 MiB of the baseline.
        ("'table.size' = ['4 MiB', '8 MiB', '2 MiB']\n[match]", 1, 268),
        ("'table.size' = ['4 MiB', '8 MiB', '2 MiB']\n[match]", 3, 292),
        ("'table.size' = ['4 MiB', '2 MiB']\n[match]", 1, 262),
    ] {
        assert_eq!(memory_for(grid, cpus), mebibytes, "{grid} {cpus}");
    }
}
