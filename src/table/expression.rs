//! Rules written as one line of arithmetic, such as `2 * depth >= old_depth - 4 * age`. A rule is
//! parsed once into the steps of a small stack machine, which keeps the last number in a variable
//! and the earlier ones on the stack.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::sync::{Mutex, PoisonError};

/// An expression, empty by default. Equal texts with the same names share one parsed form, which is
/// never freed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Expression(&'static Parsed);

#[derive(Debug, PartialEq, Eq)]
struct Parsed {
    text: String,
    names: &'static [&'static str],
    /// The terms, if the whole expression is a sum; then it has no code.
    sum: Vec<Operand>,
    code: Vec<Step>,
}

/// One step of the calculation, on the last number or the last two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Load(Operand),
    /// Applies the operator to the last number and an operand, and replaces the number with the
    /// result.
    Apply(Operator, Operand),
    /// Replaces the last two numbers with the operator's result.
    Combine(Operator),
    Not,
    Negate,
}

/// A constant times the value of a name or 1: most expressions are sums of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Operand {
    factor: i64,
    /// 0 for a constant, else the index of the name and 1.
    fact: usize,
}

impl Operand {
    #[inline(always)]
    fn value<const N: usize>(self, facts: &[i64; N]) -> i64 {
        self.factor.saturating_mul(facts[self.fact])
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
    #[inline(always)]
    fn apply(self, left: i64, right: i64) -> i64 {
        match self {
            Self::Add => left.saturating_add(right),
            Self::Subtract => left.saturating_sub(right),
            Self::Multiply => left.saturating_mul(right),
            Self::Divide => left.checked_div(right).unwrap_or(0),
            Self::Less => (left < right).into(),
            Self::LessOrEqual => (left <= right).into(),
            Self::Greater => (left > right).into(),
            Self::GreaterOrEqual => (left >= right).into(),
            Self::Equal => (left == right).into(),
            Self::NotEqual => (left != right).into(),
            Self::And => (left != 0 && right != 0).into(),
            Self::Or => (left != 0 || right != 0).into(),
        }
    }
}

/// Maximum number of operands that wait for their operator.
const STACK: usize = 16;

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

static NOTHING: Parsed = Parsed { text: String::new(), names: &[], sum: Vec::new(), code: Vec::new() };

impl Default for Expression {
    fn default() -> Self {
        Self(&NOTHING)
    }
}

impl Expression {
    /// Parses a text that may use these names.
    ///
    /// # Errors
    /// What is wrong, where, and what was expected.
    pub fn parse(text: &str, names: &'static [&'static str]) -> Result<Self, String> {
        static PARSED: Mutex<Vec<&'static Parsed>> = Mutex::new(Vec::new());
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let mut all_parsed = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parsed) = all_parsed.iter().find(|parsed| parsed.text == text && parsed.names == names) {
            return Ok(Self(parsed));
        }
        let mut parser = Parser { text, offset: 0, names, code: Vec::new(), stack_height: 0, nesting: 0 };
        parser.parse_rank(0)?;
        if parser.offset < text.len() {
            return Err(parser.fail("expected an operator or the end".to_owned()));
        }
        let (sum, code) = match as_sum(&parser.code) {
            Some(sum) => (sum, Vec::new()),
            None => (Vec::new(), parser.code),
        };
        let parsed: &'static Parsed = Box::leak(Box::new(Parsed { text: text.to_owned(), names, sum, code }));
        all_parsed.push(parsed);
        Ok(Self(parsed))
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.sum.is_empty() && self.0.code.is_empty()
    }

    pub fn reads(self, name: &str) -> bool {
        let has_name = |operand: &Operand| operand.fact > 0 && self.0.names[operand.fact - 1] == name;
        let reads = |step: &Step| matches!(step, Step::Load(operand) | Step::Apply(_, operand) if has_name(operand));
        self.0.sum.iter().any(has_name) || self.0.code.iter().any(reads)
    }

    /// The value of the expression, where true is 1 and false 0. `facts` are 1 and the values of
    /// the names, in their order. Division rounds toward 0, and division by 0 gives 0; results
    /// saturate at 64 bits.
    #[inline(always)]
    pub fn value<const N: usize>(self, facts: &[i64; N]) -> i64 {
        if self.0.code.is_empty() {
            return self.0.sum.iter().fold(0, |sum, term| sum.saturating_add(term.value(facts)));
        }
        self.run(facts)
    }

    /// The value of an expression that is no sum.
    fn run<const N: usize>(self, facts: &[i64; N]) -> i64 {
        // `last` is the newest number; the others are on the stack.
        let (mut stack, mut top, mut last) = ([0_i64; STACK + 1], 0, 0);
        for step in &self.0.code {
            match *step {
                Step::Load(operand) => {
                    stack[top] = last;
                    top += 1;
                    last = operand.value(facts);
                }
                Step::Apply(operator, operand) => last = operator.apply(last, operand.value(facts)),
                Step::Combine(operator) => {
                    top -= 1;
                    last = operator.apply(stack[top], last);
                }
                Step::Not => last = i64::from(last == 0),
                Step::Negate => last = last.saturating_neg(),
            }
        }
        last
    }
}

/// The terms of code that does nothing but add and subtract operands.
fn as_sum(code: &[Step]) -> Option<Vec<Operand>> {
    let (&first, rest) = code.split_first()?;
    let Step::Load(first) = first else { return None };
    let term = |step: &Step| match *step {
        Step::Apply(Operator::Add, operand) => Some(operand),
        Step::Apply(Operator::Subtract, operand) => Some(Operand { factor: -operand.factor, ..operand }),
        _ => None,
    };
    std::iter::once(Some(first)).chain(rest.iter().map(term)).collect()
}

/// Defines the names of facts, for [`Expression::parse`], and the function that computes all their
/// values, for [`Expression::value`]: plain code, where a call for each would cost more.
macro_rules! facts {
    (($($argument:ident: $type:ty),*) $($name:literal $value:expr;)*) => {
        /// The names of the facts.
        const NAMES: [&str; [$($name),*].len()] = [$($name),*];

        /// 1 and the facts, in the order of their names.
        #[inline(always)]
        fn facts($($argument: $type),*) -> [i64; NAMES.len() + 1] {
            [1, $(i64::from($value)),*]
        }
    };
}
pub(super) use facts;

struct Parser<'a> {
    text: &'a str,
    offset: usize,
    names: &'static [&'static str],
    code: Vec<Step>,
    /// Numbers on the stack.
    stack_height: usize,
    /// Open parentheses and signs.
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

    /// Skips a sign or word if it comes next; returns whether it did.
    fn take(&mut self, sign: &str) -> bool {
        self.skip_spaces();
        let is_word = sign.starts_with(char::is_alphabetic);
        let is_next = if is_word { self.peek_word() == sign } else { self.text[self.offset..].starts_with(sign) };
        self.offset += if is_next { sign.len() } else { 0 };
        is_next
    }

    /// Appends the step that pushes an operand.
    fn push_load(&mut self, operand: Operand) -> Result<(), String> {
        self.stack_height += 1;
        self.code.push(Step::Load(operand));
        if self.stack_height > STACK {
            Err(self.fail(format!("more than {STACK} numbers are waiting for an operator")))
        } else {
            Ok(())
        }
    }

    /// Parses an expression with operators of precedence `rank` (0: the loosest) and tighter ones.
    fn parse_rank(&mut self, rank: usize) -> Result<(), String> {
        let Some(&signs) = RANKS.get(rank) else { return self.parse_operand() };
        let left_start = self.code.len();
        self.parse_rank(rank + 1)?;
        while let Some(&(_, operator)) = signs.iter().find(|(sign, _)| self.take(sign)) {
            let right_start = self.code.len();
            self.parse_rank(rank + 1)?;
            self.push_operator(operator, left_start, right_start);
            self.stack_height -= 1;
        }
        Ok(())
    }

    /// Appends an operator in as few steps as possible. The steps of its operands begin at `left`
    /// and `right`.
    fn push_operator(&mut self, operator: Operator, left: usize, right: usize) {
        match (operator, &self.code[left..right], &self.code[right..]) {
            (Operator::Multiply, &[Step::Load(a)], &[Step::Load(b)])
                if a.fact == 0 && (a.factor * b.factor).abs() <= LARGEST =>
            {
                // A constant times a constant or a name is one operand.
                self.code.truncate(left);
                self.code.push(Step::Load(Operand { factor: a.factor * b.factor, ..b }));
            }
            // A single operand on the right need not go through the stack.
            (_, _, &[Step::Load(operand)]) => self.code[right] = Step::Apply(operator, operand),
            _ => self.code.push(Step::Combine(operator)),
        }
    }

    /// Parses an operand with its signs: a name, a number, or an expression in parentheses.
    fn parse_operand(&mut self) -> Result<(), String> {
        self.nesting += 1;
        if self.nesting > STACK {
            return Err(self.fail(format!("more than {STACK} parentheses or signs are nested")));
        }
        if self.take("(") {
            self.parse_rank(0)?;
            if !self.take(")") {
                return Err(self.fail("expected `)`".to_owned()));
            }
        } else if self.take("-") {
            self.parse_operand()?;
            self.code.push(Step::Negate);
        } else if self.take("not") {
            // `not` binds as loosely as a comparison: `not age > 0` negates the comparison.
            self.parse_rank(2)?;
            self.code.push(Step::Not);
        } else {
            self.parse_name_or_number()?;
        }
        self.nesting -= 1;
        self.skip_spaces();
        Ok(())
    }

    fn parse_name_or_number(&mut self) -> Result<(), String> {
        let word = self.peek_word().to_owned();
        let operand = if word.is_empty() {
            return Err(self.fail("expected a name, a number or `(`".to_owned()));
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            match word.parse() {
                Ok(number) if number <= LARGEST => Operand { factor: number, fact: 0 },
                _ => return Err(self.fail(format!("`{word}` is not a number from 0 to {LARGEST}"))),
            }
        } else {
            let name = self.names.iter().position(|name| *name == word);
            let name = name.ok_or_else(|| self.fail(self.unknown_name_message(&word)))?;
            Operand { factor: 1, fact: name + 1 }
        };
        self.offset += word.len();
        self.push_load(operand)
    }

    /// The problem with an unknown name, with a hint at the most similar one.
    fn unknown_name_message(&self, word: &str) -> String {
        // Characters in common at the beginning and at the end.
        let similarity = |name: &str| {
            let same = |(a, b): &(char, char)| a == b;
            name.chars().zip(word.chars()).take_while(same).count()
                + name.chars().rev().zip(word.chars().rev()).take_while(same).count()
        };
        let nearest = self.names.iter().max_by_key(|name| (similarity(name), std::cmp::Reverse(name.len())));
        let hint = nearest.filter(|name| similarity(name) > 1).map(|name| format!("did you mean `{name}`? "));
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

/// Deserializes an expression that may use these names.
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
        Expression::parse(text, &["a", "b", "old_depth"]).map(|parsed| parsed.value(&[1, 7, -2, 40]))
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
            ("9999999", "1 `9999999` is not a number from 0 to 1000000".to_owned()),
            ("7a", "1 `7a` is not a number from 0 to 1000000".to_owned()),
        ] {
            assert_eq!(value(text), Err(format!("`{text}`: at character {problem}")));
        }
        let deep = format!("{}a", "(".repeat(100_000));
        assert!(value(&deep).unwrap_err().ends_with("more than 16 parentheses or signs are nested"));
        assert!(value(&"-".repeat(100_000)).is_err());
        assert!(value(&"not ".repeat(100_000)).is_err());
    }
}
