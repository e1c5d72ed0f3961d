//! Parses the options that UCI engines declare, and checks the values to set.
//!
//! Source: the description of the universal chess interface of April 2006 (S. Meyer-Kahlen).

use super::options::OptionValue;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UciOption {
    pub name: String,
    pub kind: OptionKind,
    pub default: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionKind {
    Check,
    /// A number between two bounds, inclusive.
    Spin(i64, i64),
    Combo(Vec<String>),
    Button,
    Text,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionError {
    /// The engine has no such option. Contains the names of all options that the engine has.
    Unknown(Vec<String>),
    Value {
        expected: String,
        /// The valid values, for a hint. Empty unless the option accepts only a list of values.
        choices: Vec<String>,
    },
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check => f.write_str("true or false"),
            Self::Spin(min, max) => write!(f, "a number from {min} to {max}"),
            Self::Combo(choices) => write!(f, "one of {}", choices.join(", ")),
            Self::Button => f.write_str("true, to press it"),
            Self::Text => f.write_str("text"),
        }
    }
}

impl UciOption {
    /// Parses a line `option name ... type ...`. Returns `None` if the line does not declare an
    /// option.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        if words.next() != Some("option") {
            return None;
        }
        let (mut name, mut kind, mut default) = (Vec::new(), "", Vec::new());
        let (mut min, mut max) = (i64::MIN, i64::MAX);
        let mut choices: Vec<Vec<&str>> = Vec::new();
        let mut field = "";
        for word in words {
            // The word "type" after a name always begins another field. Other field names may be
            // part of the option's name, unless the type came before the name.
            let may_begin_field = field != "name" || !name.is_empty() && (word == "type" || !kind.is_empty());
            match word {
                "name" if name.is_empty() && field != "name" => field = word,
                "type" | "default" | "min" | "max" | "var" if may_begin_field => {
                    field = word;
                    if word == "var" {
                        choices.push(Vec::new());
                    }
                }
                word => match field {
                    "name" => name.push(word),
                    "type" => kind = word,
                    "default" => default.push(word),
                    "min" => min = word.parse().ok()?,
                    "max" => max = word.parse().ok()?,
                    "var" => choices.last_mut()?.push(word),
                    _ => return None,
                },
            }
        }
        let kind = match kind {
            "check" => OptionKind::Check,
            "spin" => OptionKind::Spin(min, max),
            "combo" => OptionKind::Combo(choices.iter().map(|words| words.join(" ")).collect()),
            "button" => OptionKind::Button,
            "string" => OptionKind::Text,
            _ => return None,
        };
        let default = default.join(" ");
        let default = if default == "<empty>" { String::new() } else { default };
        (!name.is_empty()).then(|| Self { name: name.join(" "), kind, default })
    }

    fn accepts(&self, value: &OptionValue) -> bool {
        match (&self.kind, value) {
            (OptionKind::Check, OptionValue::Check(_)) | (OptionKind::Button, OptionValue::Check(true)) => true,
            (OptionKind::Spin(min, max), OptionValue::Spin(value)) => (min..=max).contains(&value),
            (OptionKind::Combo(choices), value) => choices.contains(&value.to_string()),
            (OptionKind::Text, OptionValue::Text(text)) => !text.contains(char::is_control),
            (OptionKind::Text, OptionValue::Spin(_) | OptionValue::Check(_)) => true,
            _ => false,
        }
    }
}

/// White space before the word is ignored.
pub fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

pub fn skip_words(line: &str, count: usize) -> String {
    line.split_whitespace().skip(count).collect::<Vec<_>>().join(" ")
}

/// Whether a word has the form of a move, which is two squares and possibly another character.
pub fn is_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_square = |index: usize| (b'a'..=b'h').contains(&bytes[index]) && (b'1'..=b'8').contains(&bytes[index + 1]);
    (4..=5).contains(&bytes.len()) && is_square(0) && is_square(2)
}

/// Finds the option with this name and checks that the option accepts the value. UCI option names
/// are case-insensitive.
///
/// # Errors
/// When there is no option of this name, or the option does not accept the value.
pub fn check_option<'a>(
    options: &'a [UciOption],
    name: &str,
    value: &OptionValue,
) -> Result<&'a UciOption, OptionError> {
    let unknown = || OptionError::Unknown(options.iter().map(|option| option.name.clone()).collect());
    let option = options.iter().find(|option| option.name.eq_ignore_ascii_case(name)).ok_or_else(unknown)?;
    if option.accepts(value) {
        return Ok(option);
    }
    let choices = if let OptionKind::Combo(choices) = &option.kind { choices.clone() } else { Vec::new() };
    Err(OptionError::Value { expected: option.kind.to_string(), choices })
}

pub fn setoption_line(option: &UciOption, value: &OptionValue) -> String {
    match option.kind {
        OptionKind::Button => format!("setoption name {}", option.name),
        _ => format!("setoption name {} value {value}", option.name),
    }
}

/// Whether a line that the engine wrote after `setoption` says that the option was refused.
pub fn is_refusal(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    [
        "no such option",
        "unknown option",
        "unknown command",
        "invalid option",
        "illegal option",
        "invalid value",
        "bad option",
        "ttlab refused",
    ]
    .iter()
    .any(|refusal| line.contains(refusal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_and_values_may_contain_blanks() {
        let parse = |line: &str| UciOption::parse(line).unwrap();
        let spin = parse("option name Futility Margin type spin default 100 min -5 max 500");
        assert_eq!((spin.name.as_str(), spin.default.as_str()), ("Futility Margin", "100"));
        assert_eq!(spin.kind, OptionKind::Spin(-5, 500));
        let combo =
            parse("option name NullMove Pruning type combo default Fail High var Always var Fail High var Never");
        assert_eq!(combo.default, "Fail High");
        assert_eq!(combo.kind, OptionKind::Combo(["Always", "Fail High", "Never"].map(str::to_owned).to_vec()));
        let text = parse("option name Debug Log File type string default ");
        assert_eq!((text.kind, text.default.as_str()), (OptionKind::Text, ""));
        assert_eq!(parse("option name Clear Hash type button").kind, OptionKind::Button);
        // A name may contain any word but "type".
        assert_eq!(parse("option name min default type check default true").name, "min default");
        assert_eq!(parse("option name a name of name type button").name, "a name of name");
        // Other orders and white space.
        for line in [
            "option name My Hash type spin default 16 min 1 max 64",
            " option  type\tspin name My  Hash default 16 min 1 max 64",
            "option max 64 min 1 default 16 name My Hash type spin ",
            "option default 16 type spin min 1 max 64 name My Hash",
        ] {
            let option = parse(line);
            assert_eq!((option.name.as_str(), option.default.as_str()), ("My Hash", "16"), "{line}");
            assert_eq!(option.kind, OptionKind::Spin(1, 64), "{line}");
        }
        assert_eq!(parse("option name Greeting type string default my name").default, "my name");
        for line in [
            "id name X",
            "option",
            "option name X",
            "option X type button",
            "option name type button",
            "option name X type spin default 1 min x max 3",
        ] {
            assert_eq!(UciOption::parse(line), None, "{line}");
        }
    }

    #[test]
    fn value_is_checked_against_the_declaration() {
        let lines = [
            "option name Hash type spin default 16 min 1 max 1024",
            "option name OwnBook type check default true",
            "option name Style type combo default Solid var Solid var Risky",
            "option name Clear Hash type button",
            "option name File type string default <empty>",
        ];
        let options: Vec<UciOption> = lines.iter().filter_map(|line| UciOption::parse(line)).collect();
        let text = |text: &str| OptionValue::Text(text.to_owned());
        for (name, value) in [
            ("hash", OptionValue::Spin(1024)),
            ("OwnBook", OptionValue::Check(false)),
            ("Style", text("Risky")),
            ("Clear Hash", OptionValue::Check(true)),
            ("File", text("book.bin")),
        ] {
            assert!(check_option(&options, name, &value).is_ok(), "{name}");
        }
        for (name, value) in [
            ("Hash", OptionValue::Spin(0)),
            ("Hash", text("16")),
            ("OwnBook", OptionValue::Spin(0)),
            ("Style", text("risky")),
            ("Clear Hash", OptionValue::Check(false)),
            ("File", text("a\nquit")),
        ] {
            assert!(matches!(check_option(&options, name, &value), Err(OptionError::Value { .. })), "{name} = {value}");
        }
        let Err(OptionError::Unknown(names)) = check_option(&options, "Hsah", &OptionValue::Spin(1)) else { panic!() };
        assert_eq!(names.len(), 5);
        assert_eq!(setoption_line(&options[0], &OptionValue::Spin(4)), "setoption name Hash value 4");
        assert_eq!(setoption_line(&options[3], &OptionValue::Check(true)), "setoption name Clear Hash");
    }

    /// The expected values and choices of each kind, and the bounds of a range.
    #[test]
    fn option_error_states_what_each_kind_expects() {
        let lines = [
            "option name Hash type spin default 16 min -2 max 64",
            "option name Any type spin default 1",
            "option name OwnBook type check default true",
            "option name Style type combo default Solid var Solid var Very Risky",
            "option name Clear Hash type button",
            "option name File type string default <empty>",
        ];
        let options: Vec<UciOption> = lines.iter().filter_map(|line| UciOption::parse(line)).collect();
        assert_eq!(
            options.iter().map(|option| option.default.as_str()).collect::<Vec<_>>(),
            ["16", "1", "true", "Solid", "", ""]
        );
        let text = |text: &str| OptionValue::Text(text.to_owned());
        for (name, value, expected, choices) in [
            ("Hash", OptionValue::Spin(65), "a number from -2 to 64", &[][..]),
            ("HASH", OptionValue::Spin(-3), "a number from -2 to 64", &[]),
            ("Hash", OptionValue::Check(true), "a number from -2 to 64", &[]),
            ("OwnBook", text("true"), "true or false", &[]),
            ("Style", OptionValue::Spin(1), "one of Solid, Very Risky", &["Solid", "Very Risky"]),
            ("Clear Hash", OptionValue::Spin(1), "true, to press it", &[]),
            ("File", text("\u{7}"), "text", &[]),
        ] {
            let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
            let error = OptionError::Value { expected: expected.to_owned(), choices };
            assert_eq!(check_option(&options, name, &value), Err(error), "{name} = {value}");
        }
        for (name, value) in [
            ("hash", OptionValue::Spin(-2)),
            ("Hash", OptionValue::Spin(64)),
            ("Any", OptionValue::Spin(i64::MIN)),
            ("Any", OptionValue::Spin(i64::MAX)),
            ("Style", text("Very Risky")),
            ("File", OptionValue::Spin(3)),
            ("File", OptionValue::Check(true)),
        ] {
            assert!(
                check_option(&options, name, &value).is_ok_and(|option| option.name.eq_ignore_ascii_case(name)),
                "{name} = {value}"
            );
        }
        let names = ["Hash", "Any", "OwnBook", "Style", "Clear Hash", "File"].map(str::to_owned).to_vec();
        assert_eq!(check_option(&options, "Has", &OptionValue::Spin(1)), Err(OptionError::Unknown(names)));
        assert_eq!(setoption_line(&options[2], &OptionValue::Check(false)), "setoption name OwnBook value false");
        for (line, expected) in [
            ("No such option: Hash", true),
            ("error: Unknown option", true),
            ("Unknown command: 'x'", true),
            ("info string INVALID VALUE", true),
            ("Illegal option", true),
            ("bad option", true),
            ("invalid option", true),
            ("info string Hash set to 4", false),
            ("readyok", false),
        ] {
            assert_eq!(is_refusal(line), expected, "{line}");
        }
    }
}
