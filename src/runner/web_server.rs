//! The static web server behind `serve: DIR`: loopback only, a port of its own for each case.

use std::{net::Ipv4Addr, path::Path};

use tokio::{net::TcpListener, runtime::Runtime};
use tower_http::services::ServeDir;

use crate::outcome::FaultKind;

use super::Stop;

/// Serves a folder until it is dropped.
pub(crate) struct WebServer {
    port: u16,
    /// Dropping the runtime ends its tasks.
    _runtime: Runtime,
}

impl WebServer {
    /// Serves the files of `folder`, with `index.html` for folders.
    pub(crate) fn start(folder: &Path) -> Result<Self, Stop> {
        let fault = |error: std::io::Error| {
            Stop::errored(FaultKind::Service, format!("failed to serve `{}`: {error}", folder.display()))
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("web-server")
            .enable_io()
            .enable_time()
            .build()
            .map_err(fault)?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).map_err(fault)?;
        let port = listener.local_addr().map_err(fault)?.port();
        let router = axum::Router::new().fallback_service(ServeDir::new(folder));
        // The server ends with the runtime; until then it has no way to fail that a page would not show.
        runtime.spawn(async move { axum::serve(listener, router).await });
        Ok(Self { port, _runtime: runtime })
    }

    /// The address, without a slash at its end.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_served_and_nothing_above_the_folder_is() {
        let root = tempfile::tempdir().unwrap();
        let site = root.path().join("site");
        fs::create_dir(&site).unwrap();
        fs::write(site.join("index.html"), "<h1>hello</h1>").unwrap();
        fs::write(root.path().join("secret.txt"), "secret").unwrap();
        let server = WebServer::start(&site).unwrap();
        let get = |path: &str| {
            ureq::get(format!("{}{path}", server.address()))
                .config()
                .http_status_as_error(false)
                .build()
                .call()
                .map(|mut response| {
                    (response.status().as_u16(), response.body_mut().read_to_string().unwrap())
                })
                .unwrap()
        };
        assert_eq!(get("/"), (200, "<h1>hello</h1>".to_owned()));
        assert_eq!(get("/missing.html").0, 404);
        assert_ne!(get("/%2e%2e/secret.txt").1, "secret");
    }
}
