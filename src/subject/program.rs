//! The program of an engine: where it is, and what it says that it is.

use super::options::ProgramWords;
use super::protocol::Declared;
use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where Debian and others put games, for a path that does not name it (cron, root, CI).
const GAMES: [&str; 2] = ["/usr/games", "/usr/local/games"];

/// An engine's program as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its path.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// SHA-256 of the file, in hexadecimal digits as `sha256sum` prints them.
    pub sha256: String,
}

/// What an engine says that it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineIdentity {
    /// `id name`.
    pub name: String,
    /// `id author`.
    pub author: String,
    /// What it wrote before `uciok` that is neither an `id` nor an option.
    pub banner: Vec<String>,
    /// Every option that it named.
    pub options: Vec<Declared>,
    /// Every option that was set, in the order in which it was.
    pub set: Vec<(String, String)>,
}

/// Finds a program: a path as it is, a name on the path (and where Debian puts games).
///
/// # Errors
/// What is wrong, and what may help.
pub fn find(words: &ProgramWords) -> Result<Program, String> {
    let (name, arguments) = words.split();
    let path = place(name)?;
    let sha256 = hash(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Program { path, arguments: arguments.to_vec(), sha256 })
}

fn place(name: &str) -> Result<PathBuf, String> {
    if name.is_empty() {
        return Err("no program is named".to_owned());
    }
    if Path::new(name).components().count() > 1 || name.starts_with('.') {
        return match Path::new(name) {
            path if runnable(path) => std::path::absolute(path).map_err(|error| error.to_string()),
            path if path.is_file() => Err(format!("{name} is not executable (chmod +x)")),
            path if path.is_dir() => Err(format!("{name} is a folder: name the program in it")),
            _ => Err(format!("there is no file {name}{}", as_list(name))),
        };
    }
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let found = folders(&on_path).map(|folder| folder.join(name)).find(|path| runnable(path));
    found.ok_or_else(|| match runnable(Path::new(name)) {
        true => format!("there is no program `{name}` on the path: for the file here write ./{name}"),
        false => format!("there is no program `{name}` on the path{}", as_list(name)),
    })
}

/// What may have been meant by a name with blanks.
fn as_list(name: &str) -> String {
    let words: Vec<String> = name.split_whitespace().map(|word| format!("{word:?}")).collect();
    if words.len() < 2 { String::new() } else { format!(": arguments go into a list, as in [{}]", words.join(", ")) }
}

/// Where programs are looked for: the path first, so that whoever set it has his own.
fn folders(on_path: &OsStr) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(on_path).chain(GAMES.iter().map(PathBuf::from))
}

fn runnable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn hash(path: &Path) -> io::Result<String> {
    let digest = hmac_sha256::Hash::hash(&std::fs::read(path)?);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_told_with_a_way_out() {
        let one = |name: &str| find(&ProgramWords::One(name.to_owned())).unwrap_err();
        assert!(one("gnuchess -u").contains(r#"["gnuchess", "-u"]"#));
        assert_eq!(one("./no-such-engine"), "there is no file ./no-such-engine");
        let message = r#"there is no file ./no-such -u 4: arguments go into a list, as in ["./no-such", "-u", "4"]"#;
        assert_eq!(one("./no-such -u 4"), message);
        assert_eq!(one("./src"), "./src is a folder: name the program in it");
        assert_eq!(one("Cargo.toml"), "there is no program `Cargo.toml` on the path");
        assert_eq!(one("./Cargo.toml"), "./Cargo.toml is not executable (chmod +x)");
        assert_eq!(one(""), "no program is named");
    }

    /// What any of owner, group and others may run.
    #[test]
    fn who_may_run_it_may_be_one_alone() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (mode, may) in [(0o700, true), (0o610, true), (0o601, true), (0o666, false)] {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(runnable(file.path()), may, "{mode:o}");
        }
    }

    #[test]
    fn folders_of_games_come_after_the_path() {
        let found: Vec<PathBuf> = folders(OsStr::new("/one:/two")).collect();
        assert_eq!(found, ["/one", "/two", "/usr/games", "/usr/local/games"].map(PathBuf::from));
    }

    #[test]
    fn the_hash_is_the_one_that_sha256sum_prints() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        // The first and the last test vector of FIPS 180-2.
        assert_eq!(hash(file.path()).unwrap(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        std::fs::write(file.path(), "a".repeat(1_000_000)).unwrap();
        assert_eq!(hash(file.path()).unwrap(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}
