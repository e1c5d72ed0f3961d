//! Rules as one line of arithmetic: `2 * depth >= old_depth - 4 * age`. Parsed once, then run on a
//! stack of numbers.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::sync::{Mutex, PoisonError};

/// An expression, empty by default. Equal texts of the same names share one parsed form, which is
/// kept for good.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Expression(&'static Parsed);

#[derive(Debug, PartialEq, Eq)]
struct Parsed {
    text: String,
    names: &'static [&'static str],
    code: Vec<Step>,
}

/// One step of the calculation, in postfix order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Number(i64),
    /// The number of a name.
    Name(usize),
    Not,
    Negate,
    Binary(&'static str),
}

/// Numbers that wait for their operator, at most.
const STACK: usize = 16;

/// The largest number that may be written.
const LARGEST: i64 = 1_000_000;

/// Operators by rank, the loosest first. One that another begins with comes after it.
const RANKS: [&[&str]; 5] = [&["or"], &["and"], &["<=", ">=", "==", "!=", "<", ">"], &["+", "-"], &["*", "/"]];

static NOTHING: Parsed = Parsed { text: String::new(), names: &[], code: Vec::new() };

impl Default for Expression {
    fn default() -> Self {
        Self(&NOTHING)
    }
}

impl Expression {
    /// Parses a text with these names.
    ///
    /// # Errors
    /// What is wrong, where, and what was expected.
    pub fn parse(text: &str, names: &'static [&'static str]) -> Result<Self, String> {
        static KNOWN: Mutex<Vec<&'static Parsed>> = Mutex::new(Vec::new());
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parsed) = known.iter().find(|parsed| parsed.text == text && parsed.names == names) {
            return Ok(Self(parsed));
        }
        let mut parser = Parser { text, at: 0, names, code: Vec::new(), waiting: 0, nesting: 0 };
        parser.rank(0)?;
        if parser.at < text.len() {
            return Err(parser.fail("expected an operator or the end".to_owned()));
        }
        let parsed: &'static Parsed = Box::leak(Box::new(Parsed { text: text.to_owned(), names, code: parser.code }));
        known.push(parsed);
        Ok(Self(parsed))
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.code.is_empty()
    }

    /// The value, where true is 1 and false 0. Division rounds toward 0, and by 0 it gives 0;
    /// results beyond 64 bits stay at the largest.
    pub fn value(self, values: &[i64]) -> i64 {
        let (mut stack, mut top) = ([0_i64; STACK + 1], 0);
        for &step in &self.0.code {
            match step {
                Step::Number(number) => {
                    top += 1;
                    stack[top] = number;
                }
                Step::Name(name) => {
                    top += 1;
                    stack[top] = values[name];
                }
                Step::Not => stack[top] = i64::from(stack[top] == 0),
                Step::Negate => stack[top] = stack[top].saturating_neg(),
                Step::Binary(sign) => {
                    top -= 1;
                    stack[top] = apply(sign, stack[top], stack[top + 1]);
                }
            }
        }
        stack[top]
    }
}

fn apply(sign: &str, left: i64, right: i64) -> i64 {
    match sign {
        "+" => left.saturating_add(right),
        "-" => left.saturating_sub(right),
        "*" => left.saturating_mul(right),
        "/" => left.checked_div(right).unwrap_or(0),
        "<" => (left < right).into(),
        "<=" => (left <= right).into(),
        ">" => (left > right).into(),
        ">=" => (left >= right).into(),
        "==" => (left == right).into(),
        "!=" => (left != right).into(),
        "and" => (left != 0 && right != 0).into(),
        _ => (left != 0 || right != 0).into(),
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Byte position.
    at: usize,
    names: &'static [&'static str],
    code: Vec<Step>,
    /// Numbers on the stack.
    waiting: usize,
    /// Open parentheses and signs.
    nesting: usize,
}

impl Parser<'_> {
    fn fail(&self, problem: String) -> String {
        let character = 1 + self.text[..self.at].chars().count();
        format!("`{}`: at character {character} {problem}", self.text)
    }

    fn skip_spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The word or the number that comes next.
    fn word(&self) -> &str {
        let rest = &self.text[self.at..];
        &rest[..rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len())]
    }

    /// Takes a sign or a word that comes next.
    fn take(&mut self, sign: &str) -> bool {
        self.skip_spaces();
        let is_word = sign.starts_with(char::is_alphabetic);
        let found = if is_word { self.word() == sign } else { self.text[self.at..].starts_with(sign) };
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn push(&mut self, step: Step) -> Result<(), String> {
        self.waiting += 1;
        self.code.push(step);
        if self.waiting > STACK {
            Err(self.fail(format!("more than {STACK} numbers wait for an operator")))
        } else {
            Ok(())
        }
    }

    /// An expression of operators of a rank and tighter ones.
    fn rank(&mut self, rank: usize) -> Result<(), String> {
        let Some(&signs) = RANKS.get(rank) else { return self.operand() };
        self.rank(rank + 1)?;
        while let Some(&sign) = signs.iter().find(|sign| self.take(sign)) {
            self.rank(rank + 1)?;
            self.code.push(Step::Binary(sign));
            self.waiting -= 1;
        }
        Ok(())
    }

    fn operand(&mut self) -> Result<(), String> {
        self.nesting += 1;
        if self.nesting > STACK {
            return Err(self.fail(format!("more than {STACK} parentheses or signs are nested")));
        }
        if self.take("(") {
            self.rank(0)?;
            if !self.take(")") {
                return Err(self.fail("expected `)`".to_owned()));
            }
        } else if self.take("-") {
            self.operand()?;
            self.code.push(Step::Negate);
        } else if self.take("not") {
            // As loose as a comparison: `not age > 0` denies the comparison.
            self.rank(2)?;
            self.code.push(Step::Not);
        } else {
            self.name_or_number()?;
        }
        self.nesting -= 1;
        self.skip_spaces();
        Ok(())
    }

    fn name_or_number(&mut self) -> Result<(), String> {
        let word = self.word().to_owned();
        let step = if word.is_empty() {
            return Err(self.fail("expected a name, a number or `(`".to_owned()));
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            let number = word.parse().ok().filter(|number| *number <= LARGEST);
            Step::Number(number.ok_or_else(|| self.fail(format!("`{word}` is no number of 0 to {LARGEST}")))?)
        } else {
            let found = self.names.iter().position(|name| *name == word);
            Step::Name(found.ok_or_else(|| self.fail(self.unknown(&word)))?)
        };
        self.at += word.len();
        self.push(step)
    }

    fn unknown(&self, word: &str) -> String {
        let shared = |name: &str| {
            let same = |(a, b): &(char, char)| a == b;
            name.chars().zip(word.chars()).take_while(same).count()
                + name.chars().rev().zip(word.chars().rev()).take_while(same).count()
        };
        let nearest = self.names.iter().max_by_key(|name| (shared(name), std::cmp::Reverse(name.len())));
        let hint = nearest.filter(|name| shared(name) > 1).map(|name| format!("did you mean `{name}`? "));
        format!("`{word}` is unknown: {}expected {}", hint.unwrap_or_default(), self.names.join(", "))
    }
}

impl std::fmt::Debug for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0.text)
    }
}

impl Serialize for Expression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.text)
    }
}

/// Reads an expression of these names.
///
/// # Errors
/// Those of the deserializer, and of the parser.
pub fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
    names: &'static [&'static str],
) -> Result<Expression, D::Error> {
    Expression::parse(&String::deserialize(deserializer)?, names).map_err(de::Error::custom)
}

#[cfg(test)]
impl schemars::JsonSchema for Expression {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Expression".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Values of `a = 7`, `b = -2`.
    fn value(text: &str) -> Result<i64, String> {
        Expression::parse(text, &["a", "b", "old_depth"]).map(|parsed| parsed.value(&[7, -2, 40]))
    }

    #[test]
    fn operators_bind_as_in_arithmetic() {
        for (text, expected) in [
            ("1 + 2 * 3", 7),
            ("(1 + 2) * 3", 9),
            ("a - b - 1", 8),
            ("-a * b", 14),
            ("a / b", -3),
            ("a / 0", 0),
            ("2 * a >= 14 and b < 0", 1),
            ("a < b or b != -2 or 3 <= 2", 0),
            ("1 or 0 and 0", 1),
            ("not a > 8", 1),
            ("not a and b", 0),
            ("a == 7", 1),
            ("a > 7", 0),
            ("old_depth-a", 33),
            ("1000000*1000000*1000000*1000000", i64::MAX),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
        assert!(Expression::parse(" ", &[]).unwrap().is_empty());
    }

    #[test]
    fn faulty_expression_is_refused_with_its_position_and_the_nearest_name() {
        let names = "expected a, b, old_depth";
        for (text, problem) in [
            ("a + old_dept", format!("5 `old_dept` is unknown: did you mean `old_depth`? {names}")),
            ("z", format!("1 `z` is unknown: {names}")),
            ("a +", "4 expected a name, a number or `(`".to_owned()),
            ("(a", "3 expected `)`".to_owned()),
            ("a b", "3 expected an operator or the end".to_owned()),
            ("é", "1 expected a name, a number or `(`".to_owned()),
            ("9999999", "1 `9999999` is no number of 0 to 1000000".to_owned()),
            ("7a", "1 `7a` is no number of 0 to 1000000".to_owned()),
        ] {
            assert_eq!(value(text), Err(format!("`{text}`: at character {problem}")));
        }
        let deep = format!("{}a", "(".repeat(100_000));
        assert!(value(&deep).unwrap_err().ends_with("more than 16 parentheses or signs are nested"));
        assert!(value(&"-".repeat(100_000)).is_err());
        assert!(value(&"not ".repeat(100_000)).is_err());
    }
}
