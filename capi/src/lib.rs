//! ttlab's transposition table for any engine: the functions that `include/ttlab-table.h`
//! describes. This file has all that is unsafe in them: the pointers of the caller.
#![allow(unsafe_code)]

mod handle;

pub use handle::ForeignEntry;
use handle::{Fault, Handle, Owners, codes, fault};
use std::cell::{RefCell, UnsafeCell};
use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The version of the header.
const VERSION: c_int = 1;

/// A table with its owners, each of whom has a seat.
pub struct Linked {
    owners: Owners,
    seats: Box<[Seat]>,
    /// Whether a panic left the table in an unknown state.
    is_broken: AtomicBool,
}

/// The handle of an owner, in cache lines of its own. If there are several owners, whoever reaches
/// it has the lock.
#[repr(align(128))]
struct Seat {
    lock: Mutex<()>,
    handle: UnsafeCell<Handle>,
}

thread_local!(static ERROR: RefCell<CString> = RefCell::default());

/// The code of the fault. Its message waits for `ttlab_table_error`.
#[cold]
#[allow(clippy::boxed_local)] // A small result is passed in registers.
fn fail(fault: Fault) -> c_int {
    let (code, message) = *fault;
    let text = CString::new(message.replace('\0', "")).unwrap_or_default();
    let _ = ERROR.try_with(|error| error.replace(text));
    code
}

/// Runs a function whose panic must not reach the caller.
#[inline(always)]
fn guard(body: impl FnOnce() -> Result<c_int, Fault>) -> c_int {
    guard_or(body, || ())
}

#[inline(always)]
fn guard_or(body: impl FnOnce() -> Result<c_int, Fault>, panicked: impl FnOnce()) -> c_int {
    let panicked = |_| {
        panicked();
        Err(fault(codes::PANIC, "table: a fault of ttlab, please report it"))
    };
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(panicked).unwrap_or_else(fail)
}

impl Seat {
    /// # Safety
    /// The calling thread owns the seat, or the table has several owners.
    #[inline(always)]
    unsafe fn with_handle<R>(&self, is_shared: bool, body: impl FnOnce(&mut Handle) -> R) -> R {
        let _lock = is_shared.then(|| self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: only the thread that has the lock or is the only owner gets here, and no function
        // calls another with the handle, so that this borrow is the only one.
        body(unsafe { &mut *self.handle.get() })
    }
}

/// Runs a function on the owner's handle. Other threads are refused before they reach it.
///
/// # Safety
/// `table` is NULL or came from `ttlab_table_create` and was not destroyed.
#[inline(always)]
unsafe fn with_owner(table: *const Linked, body: impl FnOnce(&mut Handle) -> Result<c_int, Fault>) -> c_int {
    // SAFETY: the caller's pointer is NULL or one of ours, and all threads can read what it has.
    let Some(linked) = (unsafe { table.as_ref() }) else { return 0 };
    let run = || {
        let seat = &linked.seats[linked.owners.number()?];
        if linked.is_broken.load(Ordering::Relaxed) {
            return Err(fault(codes::PANIC, "table: an earlier fault of ttlab, please report it"));
        }
        // SAFETY: the seat is that of this thread.
        unsafe { seat.with_handle(linked.seats.len() > 1, body) }
    };
    guard_or(run, || linked.is_broken.store(true, Ordering::Relaxed))
}

/// As `with_owner`, for a function that reads what all owners have counted.
///
/// # Safety
/// As `with_owner`.
unsafe fn with_counts(table: *const Linked, body: impl FnOnce(&mut Handle) -> Result<c_int, Fault>) -> c_int {
    // SAFETY: as in `with_owner`; a seat is published only if there are several.
    unsafe {
        let seats = table.as_ref().map_or(&[][..], |linked| &linked.seats);
        if seats.len() > 1 {
            seats.iter().for_each(|seat| seat.with_handle(true, Handle::publish));
        }
        with_owner(table, body)
    }
}

fn missing(name: &str) -> Fault {
    fault(codes::ARGUMENT, format!("{name}: NULL: expected a pointer"))
}

/// # Safety
/// `options` is NULL or a string that ends with 0; `table` is NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ttlab_table_create(
    version: c_int,
    options: *const c_char,
    owners: c_int,
    table: *mut *mut Linked,
) -> c_int {
    guard(|| {
        if version != VERSION {
            let message = format!("version: the header has {version}, the library {VERSION}: expected the same");
            return Err(fault(codes::VERSION, message));
        }
        if table.is_null() {
            return Err(missing("table"));
        }
        let text = if options.is_null() {
            std::env::var("TTLAB_TABLE").unwrap_or_default()
        } else {
            // SAFETY: the caller's string ends with 0 and is not changed during this call.
            let text = unsafe { CStr::from_ptr(options) };
            let text = text.to_str().map_err(|_| fault(codes::OPTION, "options: expected UTF-8 text"))?;
            text.to_owned()
        };
        let (handles, owners) = Handle::create(&text, owners)?;
        let seat = |handle| Seat { lock: Mutex::default(), handle: UnsafeCell::new(handle) };
        let seats = handles.into_iter().map(seat).collect();
        let linked = Box::new(Linked { owners, seats, is_broken: AtomicBool::new(false) });
        // SAFETY: the caller's pointer is not NULL and can be written.
        unsafe { table.write(Box::into_raw(linked)) };
        Ok(0)
    })
}

/// # Safety
/// `table` is NULL or came from `ttlab_table_create`, and nobody uses it now or later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ttlab_table_destroy(table: *mut Linked) {
    if !table.is_null() {
        guard(|| {
            // SAFETY: the pointer came from `Box::into_raw` in `ttlab_table_create`, and the caller
            // gives it back once.
            drop(unsafe { Box::from_raw(table) });
            Ok(0)
        });
    }
}

/// # Safety
/// As `with_owner`, and no other thread is in a call with this table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ttlab_table_search(table: *mut Linked, plies: c_uint) -> c_int {
    // SAFETY: the caller's pointer is NULL or one of ours.
    if let Some(linked) = unsafe { table.as_ref() } {
        linked.owners.take();
    }
    // SAFETY: passed on to the caller.
    unsafe {
        with_counts(table, |handle| {
            handle.search(plies);
            Ok(0)
        })
    }
}

/// # Safety
/// As `ttlab_table_search`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ttlab_table_clear(table: *mut Linked) -> c_int {
    // SAFETY: the caller's pointer is NULL or one of ours.
    let Some(linked) = (unsafe { table.as_ref() }) else { return 0 };
    linked.owners.take();
    // SAFETY: passed on to the caller.
    let code = unsafe {
        with_owner(table, |handle| {
            handle.clear();
            Ok(0)
        })
    };
    linked.owners.release();
    code
}

/// # Safety
/// As `with_owner`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ttlab_table_prefetch(table: *const Linked, key: u64) {
    // SAFETY: passed on to the caller.
    unsafe {
        with_owner(table, |handle| {
            handle.prefetch(key);
            Ok(0)
        })
    };
}

/// # Safety
/// As `with_owner`; `entry` is NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ttlab_table_probe(table: *mut Linked, key: u64, entry: *mut ForeignEntry) -> c_int {
    // SAFETY: passed on to the caller.
    unsafe {
        with_owner(table, |handle| {
            let entry = entry.as_mut().ok_or_else(|| missing("entry"))?;
            Ok(handle.probe(key, entry)?.into())
        })
    }
}

/// # Safety
/// As `with_owner`; `entry` is NULL or can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ttlab_table_store(table: *mut Linked, key: u64, entry: *const ForeignEntry) -> c_int {
    // SAFETY: passed on to the caller.
    unsafe {
        with_owner(table, |handle| {
            let entry = entry.as_ref().ok_or_else(|| missing("entry"))?;
            Ok(handle.store(key, entry)?.into())
        })
    }
}

/// # Safety
/// As `ttlab_table_store`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ttlab_table_result(table: *mut Linked, entry: *const ForeignEntry, cut: c_int) -> c_int {
    // SAFETY: passed on to the caller.
    unsafe {
        with_owner(table, |handle| {
            handle.result(entry.as_ref().ok_or_else(|| missing("entry"))?, cut != 0);
            Ok(0)
        })
    }
}

/// # Safety
/// As `with_owner`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ttlab_table_hashfull(table: *const Linked) -> c_int {
    // SAFETY: passed on to the caller.
    unsafe { with_counts(table, |handle| Ok(handle.hashfull())) }
}

/// # Safety
/// As `with_owner`; `name` is NULL or a string that ends with 0, `value` is NULL or can be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ttlab_table_counter(table: *const Linked, name: *const c_char, value: *mut u64) -> c_int {
    // SAFETY: passed on to the caller.
    unsafe {
        with_counts(table, |handle| {
            if name.is_null() {
                return Err(missing("name"));
            }
            let value = value.as_mut().ok_or_else(|| missing("value"))?;
            *value = handle.counter(&CStr::from_ptr(name).to_string_lossy())?;
            Ok(0)
        })
    }
}

/// # Safety
/// As `with_owner`; `text` is NULL or has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ttlab_table_info(table: *const Linked, text: *mut c_char, size: usize) -> c_int {
    // SAFETY: passed on to the caller.
    unsafe {
        with_counts(table, |handle| {
            let info = handle.info();
            if text.is_null() {
                return Err(missing("text"));
            }
            let length = info.len().min(size.saturating_sub(1));
            text.copy_from_nonoverlapping(info.as_ptr().cast(), length);
            if size > 0 {
                text.add(length).write(0);
            }
            Ok(info.len() as c_int)
        })
    }
}

/// The text stays until the thread's next fault.
#[unsafe(no_mangle)]
pub extern "C" fn ttlab_table_error() -> *const c_char {
    ERROR.try_with(|error| error.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests;
