//! Finds the program of an engine, and describes the engine's identity.

use super::EngineFault;
use super::options::CommandLine;
use super::protocol::UciOption;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The folders where Debian and other systems install games. The PATH may lack these folders, for
/// example in cron jobs, for root or in CI.
const GAMES: [&str; 2] = ["/usr/games", "/usr/local/games"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub path: PathBuf,
    /// As the user wrote them.
    pub arguments: Vec<String>,
    /// The SHA-256 hash of the file in hexadecimal digits, as `sha256sum` prints it. If arguments
    /// name files, the hash of a list of all hashes, because one of these files may be the engine.
    pub sha256: String,
    /// The files that arguments name, by argument.
    pub files: BTreeMap<String, NamedFile>,
    /// Each of these files as it was found: its path, stamp and hash.
    found: Vec<(PathBuf, Option<[i64; 4]>, String)>,
}

/// A file that an argument names, such as the script of an interpreter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    pub path: PathBuf,
    /// As `sha256sum` prints it.
    pub sha256: String,
    /// Whether it was found on the PATH, where the engine's own program finds it too.
    on_path: bool,
}

/// Device, inode and time of change of a file: they change if it is replaced.
fn stamp(path: &Path) -> Option<[i64; 4]> {
    let meta = std::fs::metadata(path).ok()?;
    Some([meta.dev() as i64, meta.ino() as i64, meta.ctime(), meta.ctime_nsec()])
}

impl Program {
    /// The arguments with the absolute paths of the files that they name.
    pub fn resolved_arguments(&self) -> Vec<String> {
        let resolve = |argument: &String| match self.files.get(argument).filter(|file| !file.on_path) {
            Some(file) => file.path.display().to_string(),
            None => argument.clone(),
        };
        self.arguments.iter().map(resolve).collect()
    }

    /// The fault of a file that is another one by now. Only a changed file is hashed again.
    pub fn replacement(&self) -> Option<EngineFault> {
        let changed = self.found.iter().filter(|(path, before, _)| stamp(path) != *before);
        let mut hashed = changed.filter_map(|(path, _, before)| Some((path, before.clone(), sha256_hex(path).ok()?)));
        let (path, before, now) = hashed.find(|(_, before, now)| before != now)?;
        Some(EngineFault::Replaced(Box::new([path.display().to_string(), before, now])))
    }

    /// Without the files of arguments that the engine has written by now, which are no part of it.
    pub fn without_written_files(mut self) -> Self {
        self.found.retain(|(path, before, _)| *path == self.path || stamp(path) == *before);
        self.files.retain(|_, file| self.found.iter().any(|(path, ..)| *path == file.path));
        self.sha256 = joint_hash(&self.found[0].2, &self.files);
        self
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineIdentity {
    pub name: String,
    pub author: String,
    /// The lines before `uciok` that are neither `id` nor `option` lines.
    pub banner: Vec<String>,
    pub options: Vec<UciOption>,
    /// The names and values of the options that were set, in their order.
    pub applied: Vec<(String, String)>,
}

/// Finds the program of a command line. A path is relative to `folder`, the folder of the
/// experiment file. If there is no such file, the path is relative to the working folder. A name
/// without a path is searched on the PATH and then in the folders where Debian installs games. So
/// are arguments that name files.
///
/// # Errors
/// If the program cannot be found or read. The message says what is wrong and what to do.
pub fn find_program(command: &CommandLine, folder: &Path) -> Result<Program, String> {
    let (name, arguments) = command.split();
    let path = locate(name, folder)?;
    let mut found = Vec::new();
    let mut hash = |path: &Path| {
        let stamp = stamp(path);
        let sha256 = sha256_hex(path).map_err(|error| format!("{}: {error}", path.display()))?;
        found.push((path.to_owned(), stamp, sha256.clone()));
        Ok::<_, String>(sha256)
    };
    let own = hash(&path)?;
    let mut files = BTreeMap::new();
    for argument in arguments {
        if let Some((path, on_path)) = find_named_file(argument, folder) {
            files.insert(argument.clone(), NamedFile { sha256: hash(&path)?, path, on_path });
        }
    }
    Ok(Program { path, arguments: arguments.to_vec(), sha256: joint_hash(&own, &files), files, found })
}

fn joint_hash(own: &str, files: &BTreeMap<String, NamedFile>) -> String {
    let hashes: String = files.values().map(|file| format!(" {}", file.sha256)).collect();
    if files.is_empty() { own.to_owned() } else { hex(&Sha256::digest(own.to_owned() + &hashes)) }
}

/// The file that an argument names, and whether it was found on the PATH. An empty file, as some
/// programs leave behind, is no part of an engine.
fn find_named_file(argument: &str, folder: &Path) -> Option<(PathBuf, bool)> {
    let is_named = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() > 0);
    let beside = [folder.join(argument), PathBuf::from(argument)].into_iter().find(is_named);
    let beside = beside.and_then(|path| Some((std::path::absolute(path).ok()?, false)));
    let is_word = Path::new(argument).components().count() == 1 && !argument.starts_with(['-', '.']);
    beside.or_else(|| Some((search_path(argument).filter(|_| is_word)?, true)))
}

/// Finds a program by its name.
fn search_path(name: &str) -> Option<PathBuf> {
    let path_variable = std::env::var_os("PATH").unwrap_or_default();
    search_folders(&path_variable).map(|folder| folder.join(name)).find(|path| is_executable(path))
}

fn locate(name: &str, folder: &Path) -> Result<PathBuf, String> {
    if name.is_empty() {
        return Err("no program given".to_owned());
    }
    if Path::new(name).components().count() > 1 || name.starts_with('.') {
        let path_in_folder = folder.join(name);
        let path: &Path = if path_in_folder.is_file() { &path_in_folder } else { Path::new(name) };
        return if is_executable(path) {
            std::path::absolute(path).map_err(|error| error.to_string())
        } else if path.is_file() {
            Err(format!("{name} is not executable (chmod +x)"))
        } else if path.is_dir() {
            Err(format!("{name} is a folder: give a program in it"))
        } else if path_in_folder == Path::new(name) {
            Err(format!("no such file: {name}{}", hint_to_use_list(name)))
        } else {
            Err(format!("no such file: {name} or {}{}", path_in_folder.display(), hint_to_use_list(name)))
        };
    }
    search_path(name).ok_or_else(|| match is_executable(Path::new(name)) {
        true => format!("no program `{name}` on the PATH: for the file in this folder write ./{name}"),
        false => format!("no program `{name}` on the PATH{}", hint_to_use_list(name)),
    })
}

fn hint_to_use_list(name: &str) -> String {
    let words: Vec<String> = name.split_whitespace().map(|word| format!("{word:?}")).collect();
    if words.len() < 2 { String::new() } else { format!(": write arguments as a list, as in [{}]", words.join(", ")) }
}

/// The folders of the PATH come first, because the user has chosen them.
fn search_folders(path_variable: &OsStr) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(path_variable).chain(GAMES.iter().map(PathBuf::from))
}

fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn sha256_hex(path: &Path) -> io::Result<String> {
    Ok(hex(&Sha256::digest(std::fs::read(path)?)))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_program_is_reported_with_a_hint() {
        let error = |name: &str| find_program(&CommandLine::Name(name.to_owned()), Path::new("")).unwrap_err();
        assert!(error("gnuchess -u").contains(r#"["gnuchess", "-u"]"#));
        assert_eq!(error("./no-such-engine"), "no such file: ./no-such-engine");
        let message = r#"no such file: ./no-such -u 4: write arguments as a list, as in ["./no-such", "-u", "4"]"#;
        assert_eq!(error("./no-such -u 4"), message);
        assert_eq!(error("./src"), "./src is a folder: give a program in it");
        assert_eq!(error("Cargo.toml"), "no program `Cargo.toml` on the PATH");
        assert_eq!(error("./Cargo.toml"), "./Cargo.toml is not executable (chmod +x)");
        assert_eq!(error(""), "no program given");
    }

    /// As for suites, the file beside the experiment takes precedence over the one in the working
    /// folder.
    #[test]
    fn program_beside_the_experiment_takes_precedence() {
        let folder = tempfile::tempdir().unwrap();
        let find = |name: &str| find_program(&CommandLine::Name(name.to_owned()), folder.path());
        let message = format!("no such file: ./engine or {}", folder.path().join("./engine").display());
        assert_eq!(find("./engine"), Err(message));
        std::fs::write(folder.path().join("engine"), "").unwrap();
        assert_eq!(find("./engine"), Err("./engine is not executable (chmod +x)".to_owned()));
        std::fs::set_permissions(folder.path().join("engine"), std::fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(find("./engine").unwrap().path, folder.path().join("engine"));
        let current_program = std::env::current_exe().unwrap();
        assert_eq!(
            find(&current_program.display().to_string()).unwrap().path,
            current_program,
            "an absolute path stays as it is"
        );
    }

    /// The script of an interpreter is found beside the experiment, and the program behind a
    /// wrapper on the PATH; each changes the hash. Other words stay as they are.
    #[test]
    fn files_that_arguments_name_are_resolved_and_hashed() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("engine.js");
        let find = |words: &[&str]| {
            let words = words.iter().map(|&word| word.to_owned()).collect();
            find_program(&CommandLine::List(words), folder.path()).unwrap()
        };
        let plain = find(&["sh", "engine.js"]);
        assert_eq!((plain.resolved_arguments(), plain.files.len()), (vec!["engine.js".to_owned()], 0));
        let hashes = ["one", "other"].map(|text| {
            std::fs::write(&script, text).unwrap();
            let program = find(&["sh", "engine.js", "-c"]);
            assert_eq!(program.resolved_arguments(), [script.display().to_string(), "-c".to_owned()]);
            assert_eq!(program.arguments, ["engine.js", "-c"]);
            program.sha256
        });
        assert!(hashes[0] != hashes[1] && !hashes.contains(&plain.sha256), "{hashes:?}");
        let wrapped = find(&["env", "sh", "4"]);
        assert_eq!((wrapped.resolved_arguments(), wrapped.files.len()), (vec!["sh".to_owned(), "4".to_owned()], 1));
        assert_ne!(wrapped.sha256, find(&["env", "4"]).sha256);
    }

    /// Executable by any of owner, group and others.
    #[test]
    fn file_is_executable_with_any_execute_bit() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (mode, expected) in [(0o700, true), (0o610, true), (0o601, true), (0o666, false)] {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_executable(file.path()), expected, "{mode:o}");
        }
    }

    #[test]
    fn game_folders_are_searched_after_the_path() {
        let folders: Vec<PathBuf> = search_folders(OsStr::new("/one:/two")).collect();
        assert_eq!(folders, ["/one", "/two", "/usr/games", "/usr/local/games"].map(PathBuf::from));
    }

    #[test]
    fn sha256_matches_the_test_vectors() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        // The first and the last test vector of FIPS 180-2.
        assert_eq!(
            sha256_hex(file.path()).unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        std::fs::write(file.path(), "a".repeat(1_000_000)).unwrap();
        assert_eq!(
            sha256_hex(file.path()).unwrap(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
    }
}
