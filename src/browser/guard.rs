//! Requests that are held until this side has decided: servers that ask for a password, and the empty pages on which
//! values are stored.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    devtools::Command,
    preset::{Credentials, origin_of},
};

/// Who answers for which server.
#[derive(Default)]
pub(super) struct Guard {
    credentials: Vec<Credentials>,
    /// The origin whose documents are answered with an empty page, without asking its server.
    stand_in: Option<String>,
    /// The requests whose server has been given a password already: asking again means that it was wrong.
    answered: HashSet<String>,
}

/// Passwords are for no log.
impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Guard({} credentials)", self.credentials.len())
    }
}

impl Guard {
    pub(super) fn new(credentials: &[Credentials]) -> Self {
        let credentials = credentials
            .iter()
            .map(|known| Credentials { origin: origin_of(&known.origin), ..known.clone() })
            .collect();
        Self { credentials, ..Self::default() }
    }

    /// Answers documents of `origin` with an empty page, until told otherwise.
    pub(super) fn stand_in_for(&mut self, origin: Option<&str>) {
        self.stand_in = origin.map(str::to_owned);
    }

    /// The command by which a session holds the requests that matter, when any do.
    pub(super) fn enabling(&self) -> Option<(String, Value)> {
        let pattern = |known: &Credentials| json!({"urlPattern": format!("{}/*", known.origin)});
        let patterns: Vec<Value> = self.credentials.iter().map(pattern).collect();
        let params = json!({"patterns": patterns, "handleAuthRequests": true});
        (!self.credentials.is_empty()).then(|| ("Fetch.enable".to_owned(), params))
    }

    /// The answer to a held request.
    pub(super) fn apply(&mut self, session: &str, method: &str, params: &Value) -> Vec<Command> {
        let id = params["requestId"].as_str().unwrap_or_default();
        let url = params["request"]["url"].as_str().unwrap_or_default();
        match method {
            "Fetch.requestPaused" => vec![self.release(session, id, url)],
            "Fetch.authRequired" => vec![self.sign_in(session, id, &params["authChallenge"])],
            _ => Vec::new(),
        }
    }

    fn release(&self, session: &str, id: &str, url: &str) -> Command {
        if self.stand_in.as_ref().is_some_and(|origin| *origin == origin_of(url)) {
            let headers = json!([{"name": "Content-Type", "value": "text/html"}]);
            let page = json!({"requestId": id, "responseCode": 200, "responseHeaders": headers, "body": ""});
            return Command::page(session, "Fetch.fulfillRequest", page);
        }
        Command::page(session, "Fetch.continueRequest", json!({"requestId": id}))
    }

    /// The password for the server that asks, once. Proxies ask as well, and are given none.
    fn sign_in(&mut self, session: &str, id: &str, challenge: &Value) -> Command {
        let asks = origin_of(challenge["origin"].as_str().unwrap_or_default());
        let known = self.credentials.iter().find(|known| known.origin == asks);
        let is_server = challenge["source"] != "Proxy";
        let answer = match known.filter(|_| is_server && self.answered.insert(format!("{session} {id}"))) {
            Some(known) => json!({"response": "ProvideCredentials", "username": known.user,
                "password": known.password}),
            // Without an answer the page is the one that the server sends along with its refusal.
            None => json!({"response": "CancelAuth"}),
        };
        let params = json!({"requestId": id, "authChallengeResponse": answer});
        Command::page(session, "Fetch.continueWithAuth", params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        let (user, password) = ("u".to_owned(), "hunter2".to_owned());
        Guard::new(&[Credentials { origin: "http://a:80/x".to_owned(), user, password }])
    }

    fn response(guard: &mut Guard, origin: &str, source: &str) -> Value {
        let params = json!({"requestId": "1", "authChallenge": {"origin": origin, "source": source}});
        guard.apply("S", "Fetch.authRequired", &params)[0].params["authChallengeResponse"].clone()
    }

    #[test]
    fn a_password_is_given_once_and_only_to_its_own_server() {
        let mut guard = guard();
        for (origin, source) in [("http://b", "Server"), ("https://a", "Server"), ("http://a", "Proxy")] {
            assert_eq!(response(&mut guard, origin, source)["response"], "CancelAuth", "{origin} {source}");
        }
        assert_eq!(response(&mut guard, "http://a", "Server")["password"], "hunter2");
        assert_eq!(response(&mut guard, "http://a", "Server")["response"], "CancelAuth");
    }

    #[test]
    fn only_the_requests_of_known_servers_are_held() {
        assert!(Guard::new(&[]).enabling().is_none());
        let (_, params) = guard().enabling().unwrap();
        assert_eq!(params["patterns"], json!([{"urlPattern": "http://a/*"}]));
    }
}
