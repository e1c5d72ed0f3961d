//! Rules written as one line of arithmetic, such as `2 * depth >= old_depth - 4 * age`. Each rule
//! is parsed once. A rule that is a sum becomes a list of factors. Any other rule becomes nested
//! closures.

use crate::chess::fault::hint;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::sync::{Mutex, PoisonError};

/// A parsed expression. The default is the empty expression. Two expressions with the same text and
/// the same names share one parsed form, which is never freed.
#[derive(Clone, Copy)]
pub struct Expression(&'static Parsed);

struct Parsed {
    text: String,
    names: &'static [&'static str],
    /// Whether the expression has a constant, and whether it reads each of the names.
    reads: Vec<bool>,
    form: Form,
}

enum Form {
    Empty,
    /// The factors of 1 and of each name.
    Sum {
        factors: Facts,
        last_read: usize,
    },
    Code(Code),
}

/// The number 1, then the value of each name, then zeros. The length is a power of two, so that an
/// index can be masked instead of checked.
pub type Facts = [i64; 16];

/// A function that computes the value of an expression, or of a part of it, from the facts.
type Code = Box<dyn Fn(&Facts) -> i64 + Send + Sync>;

/// A parsed part of an expression.
enum Part {
    Sum(Vec<Operand>),
    Code(Code),
}

/// A factor times one fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Operand {
    /// At most [`LARGEST`] in magnitude, so that no product with a fact overflows.
    factor: i64,
    /// The index of the fact in [`Facts`], which is 0 for a constant.
    fact: usize,
}

/// The left or right side of an operator. The closure of the operator knows its concrete type, and
/// therefore calls no function to read an operand.
trait Side: Send + Sync + 'static {
    fn value(&self, facts: &Facts) -> i64;
}

impl Side for Operand {
    #[inline]
    fn value(&self, facts: &Facts) -> i64 {
        self.factor * facts[self.fact % facts.len()]
    }
}

impl Side for Code {
    #[inline]
    fn value(&self, facts: &Facts) -> i64 {
        self(facts)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

impl Operator {
    fn code(self, left: impl Side, right: impl Side) -> Code {
        macro_rules! code {
            (|$left:ident, $right:ident| $value:expr) => {
                Box::new(move |facts: &Facts| {
                    let ($left, $right) = (left.value(facts), right.value(facts));
                    i64::from($value)
                })
            };
        }
        match self {
            Self::Add => code!(|left, right| left.saturating_add(right)),
            Self::Subtract => code!(|left, right| left.saturating_sub(right)),
            Self::Multiply => code!(|left, right| left.saturating_mul(right)),
            // `saturating_div` panics if the divisor is 0.
            Self::Divide => code!(|left, right| if right == 0 { 0 } else { left.saturating_div(right) }),
            Self::Less => code!(|left, right| left < right),
            Self::LessOrEqual => code!(|left, right| left <= right),
            Self::Greater => code!(|left, right| left > right),
            Self::GreaterOrEqual => code!(|left, right| left >= right),
            Self::Equal => code!(|left, right| left == right),
            Self::NotEqual => code!(|left, right| left != right),
            // The right side is computed only if the left side does not determine the result.
            Self::And => Box::new(move |facts| i64::from(left.value(facts) != 0 && right.value(facts) != 0)),
            Self::Or => Box::new(move |facts| i64::from(left.value(facts) != 0 || right.value(facts) != 0)),
        }
    }

    fn combine(self, left: Part, right: Part) -> Part {
        match (self, left, right) {
            (Self::Add, Part::Sum(left), Part::Sum(right)) => Part::Sum([left, right].concat()),
            (Self::Subtract, Part::Sum(left), Part::Sum(right)) => Part::Sum([left, negate(&right)].concat()),
            (Self::Multiply, Part::Sum(left), Part::Sum(right)) => {
                match scale(&left, &right).or_else(|| scale(&right, &left)) {
                    Some(sum) => Part::Sum(sum),
                    None => self.combine(Part::Sum(left).into_code(), Part::Sum(right)),
                }
            }
            (_, left, right) => Part::Code(match (left.into_side(), right.into_side()) {
                (Ok(left), Ok(right)) => self.code(left, right),
                (Ok(left), Err(right)) => self.code(left, right),
                (Err(left), Ok(right)) => self.code(left, right),
                (Err(left), Err(right)) => self.code(left, right),
            }),
        }
    }
}

fn negate(sum: &[Operand]) -> Vec<Operand> {
    sum.iter().map(|operand| Operand { factor: -operand.factor, ..*operand }).collect()
}

/// Multiplies `sum` by `multiplier`. Returns `None` if `multiplier` is not constant, or if a factor
/// would become larger than [`LARGEST`].
fn scale(multiplier: &[Operand], sum: &[Operand]) -> Option<Vec<Operand>> {
    let &[Operand { factor, fact: 0 }] = multiplier else { return None };
    let scaled = sum.iter().map(|operand| Operand { factor: factor * operand.factor, ..*operand });
    scaled.map(|operand| (operand.factor.abs() <= LARGEST).then_some(operand)).collect()
}

impl Part {
    /// Converts the part to one side of an operator. The result is an operand if the part consists
    /// of a single operand, and otherwise code that computes the part.
    fn into_side(self) -> Result<Operand, Code> {
        match self {
            Self::Code(code) => Err(code),
            Self::Sum(sum) => match sum[..] {
                [operand] => Ok(operand),
                [left, right] => Err(Operator::Add.code(left, right)),
                _ => Err(Box::new(move |facts| sum.iter().map(|operand| operand.value(facts)).sum())),
            },
        }
    }

    fn into_code(self) -> Self {
        Self::Code(match self.into_side() {
            Ok(operand) => Box::new(move |facts| operand.value(facts)),
            Err(code) => code,
        })
    }
}

/// The maximum number of operators in an expression. Each operator may take one nested call.
const MAX_OPERATORS: usize = 64;

/// The maximum number of nested parentheses and signs.
const MAX_NESTING: usize = 16;

/// The largest number allowed in an expression's text.
const LARGEST: i64 = 1_000_000;

/// Operators by precedence, the loosest first. An operator that is a prefix of another, as `<` is
/// of `<=`, comes after it.
const RANKS: [&[(&str, Operator)]; 5] = [
    &[("or", Operator::Or)],
    &[("and", Operator::And)],
    &[
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("/", Operator::Divide)],
];

static EMPTY: Parsed = Parsed { text: String::new(), names: &[], reads: Vec::new(), form: Form::Empty };

impl Default for Expression {
    fn default() -> Self {
        Self(&EMPTY)
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        (&self.0.text, self.0.names) == (&other.0.text, other.0.names)
    }
}

impl Eq for Expression {}

impl Expression {
    /// Parses an expression, which may use the facts in `names`.
    ///
    /// # Errors
    /// When `text` is not a valid expression. The message says what is wrong, where it is, and what
    /// was expected.
    pub fn parse(text: &str, names: &'static [&'static str]) -> Result<Self, String> {
        static PARSED: Mutex<Vec<&'static Parsed>> = Mutex::new(Vec::new());
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let mut all_parsed = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parsed) = all_parsed.iter().find(|parsed| parsed.text == text && parsed.names == names) {
            return Ok(Self(parsed));
        }
        let reads = vec![false; names.len() + 1];
        let mut parser = Parser { text, offset: 0, names, reads, operators: 0, nesting: 0 };
        let part = parser.parse_rank(0)?;
        if parser.offset < text.len() {
            return Err(parser.fail("expected an operator or the end".to_owned()));
        }
        let form = match part {
            Part::Sum(sum) => {
                let mut factors = Facts::default();
                for operand in sum {
                    factors[operand.fact] += operand.factor;
                }
                let last_read = factors.iter().rposition(|factor| *factor != 0).unwrap_or(0);
                Form::Sum { factors, last_read }
            }
            Part::Code(code) => Form::Code(code),
        };
        let parsed: &'static Parsed =
            Box::leak(Box::new(Parsed { text: text.to_owned(), names, reads: parser.reads, form }));
        all_parsed.push(parsed);
        Ok(Self(parsed))
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        matches!(self.0.form, Form::Empty)
    }

    pub fn reads(self, name: &str) -> bool {
        self.0.names.iter().zip(self.0.reads.iter().skip(1)).any(|(read, is_read)| *read == name && *is_read)
    }

    #[inline(always)]
    pub fn factors<const N: usize>(self) -> Option<&'static [i64; N]> {
        match &self.0.form {
            Form::Sum { factors, last_read } if *last_read < N => factors.first_chunk(),
            _ => None,
        }
    }

    /// Each fact must fit in 32 bits. Division rounds toward 0. Division by 0 gives 0. Results
    /// saturate at 64 bits.
    #[inline(always)]
    pub fn value(self, facts: &Facts) -> i64 {
        match &self.0.form {
            Form::Empty => 0,
            Form::Sum { factors, .. } => factors.iter().zip(facts).map(|(factor, fact)| factor * fact).sum(),
            Form::Code(code) => code(facts),
        }
    }
}

/// Defines the names of facts, for [`Expression::parse`], and the function that computes all their
/// values, for [`Expression::value`]. The values are computed in place, because a call for each of
/// them would cost more.
macro_rules! facts {
    (($($argument:ident: $type:ty),*) $($name:literal $value:expr;)*) => {
        const NAMES: [&str; [$($name),*].len()] = [$($name),*];
        const _: () = assert!(NAMES.len() < 16, "there are more names than `Facts` has room for");

        #[inline(always)]
        fn facts($($argument: $type),*) -> $crate::table::expression::Facts {
            let known_facts = [1, $(i64::from($value)),*];
            std::array::from_fn(|index| if index < known_facts.len() { known_facts[index] } else { 0 })
        }
    };
}
pub(super) use facts;

struct Parser<'a> {
    text: &'a str,
    offset: usize,
    names: &'static [&'static str],
    reads: Vec<bool>,
    /// The number of operators parsed so far.
    operators: usize,
    /// The number of parentheses and signs around the part that is being parsed.
    nesting: usize,
}

impl Parser<'_> {
    fn fail(&self, problem: String) -> String {
        let character = 1 + self.text[..self.offset].chars().count();
        format!("`{}`: at character {character} {problem}", self.text)
    }

    fn skip_spaces(&mut self) {
        let rest = &self.text[self.offset..];
        self.offset += rest.len() - rest.trim_start().len();
    }

    /// The word or number at the current offset, which is not skipped.
    fn peek_word(&self) -> &str {
        let rest = &self.text[self.offset..];
        &rest[..rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len())]
    }

    /// Skips `token`, which is an operator, a parenthesis or a word, if it comes next. Returns
    /// whether the token was skipped.
    fn take(&mut self, token: &str) -> bool {
        self.skip_spaces();
        let is_word = token.starts_with(char::is_alphabetic);
        let is_next = if is_word { self.peek_word() == token } else { self.text[self.offset..].starts_with(token) };
        self.offset += if is_next { token.len() } else { 0 };
        is_next
    }

    /// Parses an expression of operators that have precedence `rank` or bind more tightly. The
    /// operators of rank 0 bind least tightly.
    fn parse_rank(&mut self, rank: usize) -> Result<Part, String> {
        let Some(&signs) = RANKS.get(rank) else { return self.parse_operand() };
        let mut left = self.parse_rank(rank + 1)?;
        while let Some(&(_, operator)) = signs.iter().find(|(sign, _)| self.take(sign)) {
            self.operators += 1;
            if self.operators > MAX_OPERATORS {
                return Err(self.fail(format!("more than {MAX_OPERATORS} operators")));
            }
            let right = self.parse_rank(rank + 1)?;
            left = operator.combine(left, right);
        }
        Ok(left)
    }

    /// Parses a name, a number or an expression in parentheses, together with the signs before it.
    fn parse_operand(&mut self) -> Result<Part, String> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.fail(format!("more than {MAX_NESTING} parentheses or signs are nested")));
        }
        let zero = || Part::Sum(vec![Operand { factor: 0, fact: 0 }]);
        let part = if self.take("(") {
            let part = self.parse_rank(0)?;
            if !self.take(")") {
                return Err(self.fail("expected `)`".to_owned()));
            }
            part
        } else if self.take("-") {
            match self.parse_operand()? {
                Part::Sum(sum) => Part::Sum(negate(&sum)),
                code @ Part::Code(_) => Operator::Subtract.combine(zero(), code),
            }
        } else if self.take("not") {
            // `not` binds as loosely as a comparison: `not age > 0` negates the comparison.
            Operator::Equal.combine(self.parse_rank(2)?, zero())
        } else {
            Part::Sum(vec![self.parse_name_or_number()?])
        };
        self.nesting -= 1;
        self.skip_spaces();
        Ok(part)
    }

    fn parse_name_or_number(&mut self) -> Result<Operand, String> {
        let word = self.peek_word().to_owned();
        let operand = if word.is_empty() {
            return Err(self.fail("expected a name, a number or `(`".to_owned()));
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            match word.parse() {
                Ok(number) if number <= LARGEST => Operand { factor: number, fact: 0 },
                _ => return Err(self.fail(format!("`{word}` is not a number from 0 to {LARGEST}"))),
            }
        } else {
            let index = self.names.iter().position(|name| *name == word);
            let index = index.ok_or_else(|| self.fail(self.unknown_name_message(&word)))?;
            Operand { factor: 1, fact: index + 1 }
        };
        self.reads[operand.fact] = true;
        self.offset += word.len();
        Ok(operand)
    }

    fn unknown_name_message(&self, word: &str) -> String {
        format!("`{word}` is unknown{}: expected {}", hint(word, self.names), self.names.join(", "))
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

/// Deserializes an expression that may use the facts in `names`.
///
/// # Errors
/// When the value is not a string, or when the string is not a valid expression.
pub fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
    names: &'static [&'static str],
) -> Result<Expression, D::Error> {
    Expression::parse(&String::deserialize(deserializer)?, names).map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl schemars::JsonSchema for Expression {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Expression".into()
        }
        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({ "type": "string" })
        }
    }

    /// Values of `a = 7`, `b = -2`.
    fn value(text: &str) -> Result<i64, String> {
        Expression::parse(text, &["a", "b", "old_depth"]).map(|parsed| {
            let mut facts = Facts::default();
            facts[..4].copy_from_slice(&[1, 7, -2, 40]);
            parsed.value(&facts)
        })
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
            ("2 * 3 * a - 4 * b", 50),
            ("-2 * a + -(3 * b)", -8),
            ("3 - 2 * a * b / (1 + 1) * 2", 31),
            ("1000 * 2000 * a", 14_000_000),
            ("a - (b - (1 - (a - 2 * b)))", -1),
            ("1000000*1000000*1000000*1000000", i64::MAX),
            ("(-1000000*1000000*1000000*1000000 - 1) / -1", i64::MAX),
            ("(a + b) * 3 - b * 2 + -a", 12),
            ("a * (b - 1) * 2 - (a > b) * 3", -45),
            ("0 and a / 0 or not not b", 1),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
        assert!(Expression::parse(" ", &[]).unwrap().is_empty());
    }

    #[test]
    fn factors_are_of_a_sum_that_reads_only_the_first_facts() {
        let names = &["a", "b", "old_depth"];
        let parse = |text: &str| Expression::parse(text, names).unwrap();
        assert_eq!(parse("2 * a - b + 3").factors(), Some(&[3, 2, -1]));
        assert_eq!(parse("a - 8 * b + 2 * old_depth").factors::<3>(), None);
        assert_eq!(parse("a - 8 * b + 2 * old_depth").factors(), Some(&[0, 1, -8, 2]));
        assert_eq!(parse("a * b").factors::<4>(), None);
    }

    #[test]
    fn faulty_expression_is_refused_with_its_position_and_the_nearest_name() {
        let names = "expected a, b, old_depth";
        for (text, problem) in [
            ("a + old_dept", format!("5 `old_dept` is unknown (did you mean `old_depth`?): {names}")),
            ("z", format!("1 `z` is unknown (did you mean `a`?): {names}")),
            ("a +", "4 expected a name, a number or `(`".to_owned()),
            ("(a", "3 expected `)`".to_owned()),
            ("a b", "3 expected an operator or the end".to_owned()),
            ("é", "1 expected a name, a number or `(`".to_owned()),
            ("9999999", "1 `9999999` is not a number from 0 to 1000000".to_owned()),
            ("7a", "1 `7a` is not a number from 0 to 1000000".to_owned()),
        ] {
            assert_eq!(value(text), Err(format!("`{text}`: at character {problem}")));
        }
        let deep = format!("{}a", "(".repeat(100_000));
        assert!(value(&deep).unwrap_err().ends_with("more than 16 parentheses or signs are nested"));
        assert!(value(&"-".repeat(100_000)).is_err());
        assert!(value(&"not ".repeat(100_000)).is_err());
        assert_eq!(value(&format!("a{}", " + a".repeat(64))), Ok(455));
        assert_eq!(value(&format!("a{}", " * 1 > 0".repeat(32))), Ok(1));
        for text in [" + a", " * a", " or a"] {
            let message = value(&format!("a{}", text.repeat(65))).unwrap_err();
            assert!(message.ends_with("more than 64 operators"), "{message}");
        }
    }
}
