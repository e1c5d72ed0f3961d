//! Errors in axes, variants and expectations.

use super::{GRID, SEARCH, check, read, read_error};
use crate::experiment::Experiment;
use crate::record::columns;
use std::path::Path;

#[test]
fn axis_and_variant_errors_have_their_place() {
    check(
        GRID,
        &[
            (
                "\"keys.seed\" = []",
                "grid.keys.seed: expected a list of values, found an empty list",
                "\"keys.seed\"",
                "",
            ),
            ("\"keys.seed\" = 3", "grid.keys.seed: expected a list of values, found 3", "\"keys.seed\"", ""),
            ("\"keys.seed\" = [7, 8, 9, 8]", "grid.keys.seed: duplicate value 8", "8", ""),
            (
                "\"table.policy\" = [\"always\", \"never\", { kind = \"always\" }]",
                "variant: the name \"slots=1, size=64, policy=always\" is used twice",
                "{ kind = \"always\" }",
                "",
            ),
            (
                "keys.seed = [1, 2]",
                "grid.keys: expected a list of values, found a table: write the path in quotes, as in \"keys.size\" = [..]",
                "keys",
                "",
            ),
            (
                "\"keys.sead\" = [1, 2]",
                "grid.keys.sead: there is no option `keys.sead`",
                "\"keys.sead\"",
                "did you mean `keys.seed`?",
            ),
            (
                "[[zip]]\n\"keys.seed\" = [1, 2]\n\"draws\" = [true]",
                "zip.draws: has 1 value, but zip.keys.seed has 2",
                "\"draws\"",
                "",
            ),
            (
                "[[zip]]\n\"keys.seed\" = [1]\ndraws = [true, false]",
                "zip.draws: has 2 values, but zip.keys.seed has 1",
                "draws",
                "",
            ),
            (
                "[[zip]]\n\"keys.seed\" = [1, 2]\n\"table.size\" = [64, 256]",
                "zip.table.size: is also set in [grid]: set it in only one of them",
                "\"table.size\"",
                "",
            ),
            (
                "[[zip]]\n\"keys.seed\" = [1, 2]\n[[zip]]\ndraws = [true, false]\n\"keys.seed\" = [3, 4]",
                "zip.keys.seed: is also set in another [[zip]]: set it in only one of them",
                "\"keys.seed\"",
                "",
            ),
            (
                "[[zip]]\n\"keys.sead\" = [1, 2]",
                "zip.keys.sead: there is no option `keys.sead`",
                "\"keys.sead\"",
                "did you mean `keys.seed`?",
            ),
            ("[[zip]]", "", "", ""),
            (
                "[[exclude]]\n\"table.slots\" = 3",
                "exclude: no other combination of the grid has all of these values",
                "[[exclude]]",
                "",
            ),
            (
                "[[exclude]]\n\"table.slotz\" = 2",
                "exclude.table.slotz: there is no option `table.slotz`",
                "\"table.slotz\"",
                "did you mean `table.slots`?",
            ),
            ("[[variant]]\nname = \"\"", "variant.name: expected a name in quotes", "name", ""),
            ("[[variant]]\nname = \" \"", "variant.name: expected a name in quotes", "name", ""),
            ("[[variant]]\nname = \"\\t\"", "variant.name: expected a name in quotes", "name", ""),
            ("[[variant]]\nname = 3", "variant.name: expected a name in quotes", "name", ""),
            (
                "[[variant]]\n\"table.slots\" = 4",
                "variant.name: missing: every [[variant]] needs a name",
                "[[variant]]",
                "",
            ),
            (
                "[[variant]]\nname = \"v\"\ntable.slots = 9",
                "table.slots: 9 is out of range: expected 1 to 8 (variant \"v\")",
                "slots",
                "",
            ),
            (
                "[[variant]]\nname = \"slots=1, size=64\"\n\"table.slots\" = 1\n\"table.size\" = 64",
                "variant: the name \"slots=1, size=64\" is used twice",
                "[[variant]]",
                "",
            ),
            (
                "[[variant]]\nname = \"v\"\n\"table.slots\" = 2\n\"table.size\" = 256",
                "\"v\" and \"slots=2, size=256\" are the same variant: their options and limits are equal",
                "[[variant]]",
                "",
            ),
            (
                "[baseline]\nslots = 3",
                "baseline: no variant matches it",
                "baseline",
                "table.slots = 3: expected one of `1`, `2`",
            ),
            (
                "[baseline]\nvariant = \"slots=2, size=6\"",
                "baseline: no variant matches it",
                "baseline",
                "did you mean `slots=2, size=64`?",
            ),
            (
                "[baseline]\nslotz = 1",
                "baseline.slotz: there is no option `slotz`",
                "slotz",
                "did you mean `table.slots`?",
            ),
            ("[baseline]\nclear = \"game\"", "", "", ""),
            (
                "[baseline]\nkind = \"always\"",
                "baseline.kind: is ambiguous (`table.kind` or `table.policy.kind` or `threads.kind`): write the \
                 full name",
                "kind",
                "",
            ),
        ],
    );
    check(
        SEARCH,
        &[(
            "[grid]\n\"table.size\" = [\"1 MiB\", \"64 KiB\", \"1024 KiB\"]",
            "\"size=1024 KiB\" and \"size=1 MiB\" are the same variant: their options and limits are equal",
            "\"1024 KiB\"",
            "",
        )],
    );
    let baseline = |more: &str| read(&format!("{GRID}{more}"), &[]).map(|experiment| experiment.baseline).ok();
    for (more, index) in [
        ("", 0),
        ("[baseline]\nslots = 2\n", 3),
        ("[baseline]\n\"table.size\" = 256\n\"table.slots\" = 2", 5),
        ("[baseline]\nvariant = \"slots=1, size=256\"", 2),
        ("[baseline]\nvariant = \"slots=2, size=64\"\nslots = 2", 3),
    ] {
        assert_eq!(baseline(more), Some(index), "{more}");
    }
    // A layout that is given by its parts equals the one of the same name. The options that a
    // layout sets are not another axis.
    let read_layouts = |more: &str| {
        let parts = "{ bucket = \"64 bytes\", entry = 12, slots = 5, key_bits = 16 }";
        let axes = format!(
            "[grid]\n\"table.layout\" = [\"3x10\", \"3x8\", {parts}]\n\"table.size\" = [\"1 MiB\", \"2 MiB\"]\n"
        );
        read(&format!("{SEARCH}{axes}{more}"), &[])
    };
    for (layout, first) in [("3x10", 0), ("5x12", 4)] {
        for path in ["\"table.layout\"", "layout"] {
            let experiment = read_layouts(&format!("[baseline]\n{path} = \"{layout}\"\n")).unwrap();
            // Each of three layouts has two sizes.
            let expected: Vec<Option<usize>> = [first, first + 1].repeat(3).into_iter().map(Some).collect();
            assert_eq!(experiment.partners.baselines, expected, "{path} {layout}");
        }
    }
    let problem = read_layouts("[baseline]\nlayout = \"5x16\"\n").unwrap_err();
    assert_eq!(problem.help.as_deref(), Some("table.layout = 5x16: did you mean `5x12`?"));
    // 250 x 400 combinations are the maximum, so the next error is reported.
    let list = |count: usize| (0..count).map(|index| index.to_string()).collect::<Vec<_>>().join(", ");
    let first_error = |seeds: usize, windows: usize| {
        let axes = format!("[grid]\n\"keys.seed\" = [{}]\naspiration = [{}]\n", list(seeds), list(windows));
        read_error(&format!("{SEARCH}{axes}[[exclude]]\n"), &[]).message
    };
    assert_eq!(
        first_error(250, 400),
        "exclude: an entry is empty: list the option values of the variants to leave out"
    );
    for (seeds, windows) in [(11, 9091), (320, 320)] {
        assert_eq!(first_error(seeds, windows), "grid: more than 100000 combinations: use fewer values or axes");
    }
}

/// Variants of the grid come first, then the includes, then `[[variant]]`. The first axis of the
/// grid varies slowest. Names use the last part of a path, or the whole path if two paths have the
/// same last part.
#[test]
fn variants_have_their_order_names_and_options() {
    let names = |text: &str| -> Vec<String> {
        read(text, &[])
            .map(|experiment| experiment.variants.iter().map(|variant| variant.name.clone()).collect())
            .unwrap_or_default()
    };
    let text = format!(
        "{GRID}[[zip]]\n\"keys.seed\" = [1, 2]\n\"draws\" = [true, false]\n[[exclude]]\n\"table.slots\" = 2\n[[exclude]]\n\"table.size\" = 64\n\"keys.seed\" = 2\n\
        [[variant]]\nname = \"v\"\nhistory_clear = \"never\"\n"
    );
    assert_eq!(
        names(&text),
        [
            "slots=1, size=64, seed=1, draws=true",
            "slots=1, size=1 MiB, seed=1, draws=true",
            "slots=1, size=1 MiB, seed=2, draws=false",
            "slots=1, size=256, seed=1, draws=true",
            "slots=1, size=256, seed=2, draws=false",
            "v",
        ]
    );
    let policies = format!(
        "{SEARCH}[grid]\n\"table.clear\" = [\"game\"]\n\"table.policy\" = [\"always\", {{ kind = \"aged-depth\", factor = 3 }}]\n\"table.kind\" = [\"bounded\"]\n"
    );
    assert_eq!(
        names(&policies),
        ["clear=game, policy=always, kind=bounded", "clear=game, policy=aged-depth factor=3, kind=bounded"]
    );
    assert_eq!(names(SEARCH), ["default"]);
    let error = read_error(GRID, &["table.slots=4"]);
    assert!(error.message.contains("are the same variant"), "a set is laid over every point");
    assert_eq!(
        (error.excerpt.as_str(), error.help.as_str()),
        ("", "--set table.slots sets one value for all variants, but the file varies it")
    );
    let experiment = read(SEARCH, &["table.slots=4", "limit.nodes=70", "table.slots = 8"]).unwrap();
    let variant = &experiment.variants[0];
    assert_eq!((variant.limit.depth, variant.limit.nodes), (Some(2), Some(70)));
    assert_eq!((variant.table().unwrap().slots, variant.path_values.len()), (8, 0));
}

#[test]
fn expectation_errors_have_their_place() {
    let two =
        format!("{SEARCH}[[variant]]\nname = \"one\"\n[[variant]]\nname = \"two\"\n\"table.slots\" = 2\n[[expect]]\n");
    check(
        &two,
        &[
            ("nodes = 3", "", "", ""),
            ("other_scores = 0", "", "", ""),
            ("where = { variant = \"two\", depth = 2 }\n\"row.slots\" = 3", "", "", ""),
            ("where = { \"row.slots\" = 2, \"table.slots\" = 2 }\nnodes = 3", "", "", ""),
            // A suffix of one option only is not ambiguous.
            ("where = { clear = \"game\" }\nnodes = 3", "", "", ""),
            (
                "where = { slots = 2 }\nnodes = 3",
                "expect.where.slots: is ambiguous (`table.slots` or `row.slots`): write the full name",
                "slots",
                "",
            ),
            (
                "where = { kind = \"x\" }\nnodes = 3",
                "expect.where.kind: is ambiguous (`table.kind` or `table.policy.kind` or `threads.kind`): write the \
                 full name",
                "kind",
                "",
            ),
            (
                "where = { deptj = 2 }\nnodes = 3",
                "expect.where.deptj: there is no such column",
                "deptj",
                "did you mean `depth`?",
            ),
            (
                "where = { variant = \"tow\" }\nnodes = 3",
                "expect.where.variant: there is no variant \"tow\"",
                "\"tow\"",
                "did you mean `two`?",
            ),
            (
                "where = { variant = \"nobody\" }\nnodes = 3",
                "expect.where.variant: there is no variant \"nobody\"",
                "\"nobody\"",
                "expected one of `one`, `two`",
            ),
            ("nodez = 3", "expect.nodez: there is no such metric", "nodez", "did you mean `search.nodes`?"),
            ("\"row.nodez\" = 3", "expect.row.nodez: there is no such metric", "\"row.nodez\"", ""),
            ("", "expect: gives neither a figure nor a claim", "[[expect]]", ""),
            (
                "kind = \"expected\"\nnodes = 3",
                "expect.source: missing: name who published or expects the figure",
                "[[expect]]",
                "",
            ),
            (
                "kind = \"published\"\nnodes = 3\nsource = \" \"",
                "expect.source: missing: name who published or expects the figure",
                "[[expect]]",
                "",
            ),
            ("kind = \"published\"\nnodes = 3\nsource = \"x\"", "", "", ""),
            ("kind = \"published\"\nnodes = 3\nquote = \"x\"", "", "", ""),
            ("kind = \"expected\"\nnodes = 3\nauthor = \"x\"", "", "", ""),
            ("kind = \"expected\"\nnodes = 3\narticle = \"x\"", "", "", ""),
            ("kind = \"published\"\nnodes = 3\n[article]\ntitle = \"T\"", "", "", ""),
            (
                "kind = \"expected\"\nnodes = 3\n[article]\ntitle = \"T\"",
                "expect.source: missing: name who published or expects the figure",
                "[[expect]]",
                "",
            ),
            ("claim = \"nodes(one) < 2 * nodes(two)\"", "", "", ""),
            (
                "claim = \"nodez(one) < nodes(two)\"",
                "expect.claim: there is no metric `nodez`",
                "nodez",
                "did you mean `search.nodes`?",
            ),
            (
                "claim = \"nodes(one) < nodez(two)\"",
                "expect.claim: there is no metric `nodez`",
                "nodez",
                "did you mean `search.nodes`?",
            ),
            (
                "claim = \"nodes(onf) < nodes(two)\"",
                "expect.claim: there is no variant \"onf\"",
                "onf",
                "did you mean `one`?",
            ),
            (
                "claim = \"nodes(one) < nodes(tow)\"",
                "expect.claim: there is no variant \"tow\"",
                "tow",
                "did you mean `two`?",
            ),
        ],
    );
}

/// A claim is refused if its metric cannot be compared (words, scores, options), or if the rows of
/// this experiment lack it (columns of the anatomy, of external engines and of matches).
#[test]
fn claim_that_no_row_can_answer_is_refused() {
    let anatomy_metric = format!("{}shallow", columns::ANATOMY);
    assert!(columns::column(&anatomy_metric).is_some());
    for (metric, expected) in [
        ("solved", "cannot be compared"),
        ("best", "cannot be compared"),
        ("pv", "cannot be compared"),
        ("variant", "cannot be compared"),
        ("finished", "cannot be compared"),
        ("error", "cannot be compared"),
        ("position", "cannot be compared"),
        ("limit", "cannot be compared"),
        ("check", "cannot be compared"),
        ("score", "cannot be compared"),
        ("other_scores", "cannot be compared"),
        ("table.size", "cannot be compared"),
        ("limit.depth", "cannot be compared"),
        (&anatomy_metric, "there is no metric `anatomy."),
        (columns::REPORTED_HASHFULL, "there is no metric `reported.hashfull`"),
        (columns::POINTS, "there is no metric `match.points`"),
        ("nodes", ""),
        (columns::CUTS, ""),
        ("hashfull", ""),
        ("entries", ""),
        ("seconds", ""),
        ("depth", ""),
    ] {
        for sides in [[metric, "nodes"], ["nodes", metric]] {
            let text = format!(
                "suite = {{ startpos = true }}\nlimit.depth = 2\n[[variant]]\nname = 'one'\n[[variant]]\nname = 'two'\ntable.size = 64\n\
                 [[expect]]\nclaim = '{}(one) < {}(two)'\n",
                sides[0], sides[1]
            );
            match Experiment::parse(&text, Path::new("x.toml"), &[]) {
                Ok(_) => assert_eq!(expected, "", "{metric}"),
                Err(problem) => {
                    assert!(!expected.is_empty(), "{metric}: {problem}");
                    assert!(problem.message.contains(expected), "{metric}: {problem}");
                    assert!(problem.to_string().contains("x.toml:9:"), "{metric}: {problem}");
                }
            }
        }
    }
}

#[test]
fn variant_names_use_whole_paths_when_ambiguous() {
    let names = |grid: &str| -> Vec<String> {
        let experiment = read(&format!("{SEARCH}[grid]\n{grid}\n"), &[]);
        let variants = experiment.map(|experiment| experiment.variants).unwrap_or_default();
        variants.into_iter().map(|variant| variant.name).collect()
    };
    assert_eq!(names("\"table.clear\" = [\"game\"]\n\"eval.space\" = [3]"), ["clear=game, space=3"]);
    assert_eq!(
        names("\"probe.min_depth\" = [1]\n\"store.min_depth\" = [2]\n\"table.slots\" = [4]"),
        ["probe.min_depth=1, store.min_depth=2, slots=4"]
    );
}
