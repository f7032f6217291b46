//! The pages of the corpus behind a web server, each with the script that changes it.

use std::{
    fs,
    net::Ipv4Addr,
    path::{Path, PathBuf},
};

use tempfile::TempDir;
use tokio::{net::TcpListener, runtime::Runtime};
use tower_http::services::ServeDir;

use crate::Outcome;

/// The pages that are rendered: seven of the bundled site and three of other looks.
pub(crate) const PAGES: [&str; 10] = [
    "index.html",
    "issues.html",
    "workflow.html",
    "fleet.html",
    "long.html",
    "new-issue.html",
    "sign-in.html",
    "ledger.html",
    "article.html",
    "settings.html",
];

/// The selector of what moves by itself and is masked on every page.
pub(crate) const CLOCK: &str = ".time-since";

/// Serves the pages until it is dropped.
pub(crate) struct Site {
    address: String,
    _folder: TempDir,
    /// Dropping the runtime ends its tasks.
    _runtime: Runtime,
}

impl Site {
    /// Copies the pages to a folder, puts the script into each, and serves them.
    pub(crate) fn start() -> Outcome<Self> {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir()?;
        copy(&root.join("scenarios/site"), folder.path())?;
        copy(&root.join("benches/verdict/pages"), folder.path())?;
        fs::copy(root.join("benches/verdict/mutate.js"), folder.path().join("mutate.js"))?;
        for page in PAGES {
            let file = folder.path().join(page);
            let markup = fs::read_to_string(&file)?;
            fs::write(&file, markup.replace("</head>", "<script src=\"mutate.js\"></script></head>"))?;
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = format!("http://{}", listener.local_addr()?);
        let router = axum::Router::new().fallback_service(ServeDir::new(folder.path()));
        runtime.spawn(async move { axum::serve(listener, router).await });
        Ok(Self { address, _folder: folder, _runtime: runtime })
    }

    /// The address of a page, with a query or none.
    pub(crate) fn url(&self, page: &str, query: &str) -> String {
        format!("{}/{page}{query}", self.address)
    }
}

fn copy(from: &Path, to: &Path) -> Outcome<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
