//! The columns that identify a row: its job, and its place in the job.

use super::columns;

macro_rules! row_key {
    ($($field:ident: $column:ident),+) => {
        /// A value for each column that identifies a row: the column's index in a header, or the
        /// field of a row. `error` is not empty in the row of a failed job.
        #[derive(Debug, Clone, Copy)]
        pub struct RowKey<T> {
            $(pub $field: T,)+
        }

        impl<T: Copy> RowKey<T> {
            pub fn map<U>(&self, mut make: impl FnMut(T) -> U) -> RowKey<U> {
                RowKey { $($field: make(self.$field),)+ }
            }
        }

        const COLUMNS: RowKey<&str> = RowKey { $($field: columns::$column,)+ };
    };
}

row_key!(
    id: ID, variant: VARIANT, suite: SUITE, game: GAME, position: POSITION, ply: PLY, repeat: REPEAT, depth: DEPTH,
    opponent: OPPONENT, colour: COLOUR, error: ERROR
);

impl<T: Copy> RowKey<T> {
    /// The values that a job's rows share. `searches_suite` says whether the job searches a whole
    /// suite, because its variant's table is never cleared. `is_empty` tells an empty field.
    pub fn job(&self, searches_suite: bool, is_empty: impl Fn(T) -> bool) -> [T; 4] {
        let item = if searches_suite { self.suite } else { self.item(is_empty) };
        [self.variant, self.opponent, item, self.repeat]
    }

    /// A game is an item of the suite, and so is a position that does not belong to a game.
    pub fn item(&self, is_empty: impl Fn(T) -> bool) -> T {
        if is_empty(self.game) { self.position } else { self.game }
    }
}

impl RowKey<Option<usize>> {
    pub fn of_header(header: &[String]) -> Self {
        COLUMNS.map(|name| header.iter().position(|column| column == name))
    }

    /// Whether the header is that of a results file. Suites and opponents have columns only where
    /// there are any.
    pub fn is_complete(&self) -> bool {
        let Self { id, variant, game, position, ply, repeat, depth, error, .. } = self;
        [id, variant, game, position, ply, repeat, depth, error].iter().all(|index| index.is_some())
    }

    /// The fields of a row. A column that the file lacks is empty.
    pub fn read<'r>(&self, row: &'r csv::StringRecord) -> RowKey<&'r str> {
        self.map(|index| index.and_then(|index| row.get(index)).unwrap_or_default())
    }
}

impl RowKey<&str> {
    pub fn id(&self) -> Option<u64> {
        u64::from_str_radix(self.id, 16).ok()
    }

    pub fn item_name(&self) -> &str {
        self.item(str::is_empty)
    }
}
