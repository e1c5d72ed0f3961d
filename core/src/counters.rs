//! A macro that declares a struct of counters, with their column names and meanings, from one list.

/// Declares a struct of `u64` counters from one list of documented names.
///
/// The struct has a constant `COLUMNS` with the name and the meaning of each counter. `values()`
/// returns the values in the same order. The
/// operators `+=` and `-` add and subtract the counts of iterations and searches.
#[macro_export]
macro_rules! counters {
    ($(#[$outer:meta])* $vis:vis struct $name:ident { $($(#[doc = $doc:literal])+ $field:ident,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        $vis struct $name { $($(#[doc = $doc])+ pub $field: u64,)* }

        impl $name {
            /// Name and meaning of each counter, in the order of [`Self::values`].
            pub const COLUMNS: &'static [(&'static str, &'static str)] =
                &[$((stringify!($field), concat!($($doc),+)),)*];

            /// The values, in the order of [`Self::COLUMNS`].
            #[must_use]
            pub fn values(&self) -> Vec<u64> {
                vec![$(self.$field),*]
            }

            /// The counter of this name.
            pub fn get_mut(&mut self, name: &str) -> Option<&mut u64> {
                match name {
                    $(stringify!($field) => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }

        impl std::ops::AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)*
            }
        }

        impl std::ops::Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self { $($field: self.$field - other.$field,)* }
            }
        }
    };
}
