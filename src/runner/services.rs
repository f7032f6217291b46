//! What must be up while a case runs: started on its display's session host, so that it ends with the case.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    net::{Ipv4Addr, TcpListener, TcpStream, ToSocketAddrs},
    path::Path,
    time::Duration,
};

use crate::{
    clock::Deadline,
    desktop::{self, AppId, AppState, Program},
    outcome::{FaultKind, StepOutcome},
    scenario::{Case, Piece, Ready, Service, Template},
};

use super::{Stage, Stop};

/// Between two looks at a service that is not up yet.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// How long one look may take.
const ONE_LOOK: Duration = Duration::from_secs(2);

/// A free port for every `${port.NAME}` of `case`.
///
/// The ports are all bound at once, so that they differ from each other, and then let go: a service binds its own.
pub(crate) fn free_ports(case: &Case) -> Result<BTreeMap<String, u16>, Stop> {
    let names: BTreeSet<&String> = templates(case)
        .flat_map(Template::pieces)
        .filter_map(|piece| if let Piece::Port(name) = piece { Some(name) } else { None })
        .collect();
    let bind = |name: &String| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        Ok((name.clone(), port, listener))
    };
    let bound: Vec<_> = names
        .into_iter()
        .map(bind)
        .collect::<std::io::Result<_>>()
        .map_err(|error| Stop::errored(FaultKind::Service, format!("no free port: {error}")))?;
    Ok(bound.into_iter().map(|(name, port, _)| (name, port)).collect())
}

/// Every template of a case in which a port may be named.
fn templates(case: &Case) -> impl Iterator<Item = &Template> {
    use crate::scenario::Action;
    let services = case.services.iter().flat_map(|service| {
        let ready = service.ready.iter().map(|ready| match ready {
            Ready::Http(text) | Ready::Tcp(text) | Ready::Log(text) => text,
        });
        service.command.iter().chain(service.env.values()).chain(ready)
    });
    let steps = case.steps.iter().flat_map(|step| -> Vec<&Template> {
        match &step.action {
            Action::OpenBrowser(open) => open.url.iter().collect(),
            Action::Navigate(navigate) => vec![&navigate.url],
            Action::Type(text) => vec![&text.text],
            Action::Launch(launch) => launch.command.iter().chain(launch.env.values()).collect(),
            _ => Vec::new(),
        }
    });
    services.chain(steps)
}

impl Stage<'_> {
    /// Starts the services in order, each when the one before is up.
    pub(crate) fn start_services(&mut self) -> Result<(), Stop> {
        for service in &self.case.services {
            let argv = service.command.iter().map(|part| self.render(part)).collect::<Result<_, _>>()?;
            let env = service
                .env
                .iter()
                .map(|(name, value)| Ok((name.clone(), self.render(value)?)))
                .collect::<Result<_, Stop>>()?;
            let program = Program {
                argv,
                env,
                cwd: Some(service.cwd.clone()),
                log_name: format!("service-{}.log", service.name),
                pipes: false,
            };
            let app = self.desktop.launch(&program).map_err(|error| {
                Stop::errored(FaultKind::Service, format!("service `{}`: {error}", service.name))
            })?;
            self.services.push((service.name.to_string(), app.id));
            self.await_service(service, app.id)?;
        }
        Ok(())
    }

    /// A service that ended by itself is a fault of the step during which it did.
    pub(crate) fn check_services(&mut self, outcome: &mut StepOutcome) {
        for (name, app) in self.services.clone() {
            if let Ok(state @ (AppState::Exited(_) | AppState::Killed(_))) = self.desktop.app_state(app) {
                let message = self.ended(&name, &state);
                outcome.verdict = Stop::errored(FaultKind::Service, message).into();
            }
        }
    }

    fn await_service(&mut self, service: &Service, app: AppId) -> Result<(), Stop> {
        let Some(ready) = &service.ready else {
            return Ok(());
        };
        let deadline = Deadline::after(self.bench.clock, service.timeout);
        let wanted = match ready {
            Ready::Http(text) | Ready::Tcp(text) | Ready::Log(text) => self.render(text)?,
        };
        loop {
            let log = self.desktop.log_dir().join(format!("service-{}.log", service.name));
            let answer = match ready {
                Ready::Http(_) => answers_http(&wanted),
                Ready::Tcp(_) => takes_connection(&wanted),
                Ready::Log(_) => log_holds(&log, &wanted),
            };
            let Err(reason) = answer else {
                return Ok(());
            };
            let state = self.desktop.app_state(app)?;
            // A daemon's launcher ends with 0 and leaves the service behind.
            if !matches!(state, AppState::Running | AppState::Exited(0)) {
                return Err(Stop::errored(FaultKind::Service, self.ended(service.name.as_str(), &state)));
            }
            if deadline.has_passed(self.bench.clock) {
                return Err(Stop::errored(
                    FaultKind::Service,
                    format!(
                        "service `{}` was not up after {:?}: {reason}{}",
                        service.name,
                        service.timeout,
                        log_end(&log)
                    ),
                ));
            }
            self.pause(LOOK_AGAIN)?;
        }
    }

    fn ended(&self, name: &str, state: &AppState) -> String {
        let how = match state {
            AppState::Running => "is running".to_owned(),
            AppState::Exited(code) => format!("ended with code {code}"),
            AppState::Killed(signal) => format!("was ended by signal {signal}"),
        };
        let log = self.desktop.log_dir().join(format!("service-{name}.log"));
        format!("service `{name}` {how}{}", log_end(&log))
    }
}

fn answers_http(url: &str) -> Result<(), String> {
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(ONE_LOOK))
        .http_status_as_error(false)
        .proxy(None)
        .build();
    let response = ureq::Agent::new_with_config(config).get(url).call().map_err(|error| error.to_string())?;
    let status = response.status();
    if status.as_u16() < 400 { Ok(()) } else { Err(format!("{url} answered with status {status}")) }
}

fn takes_connection(address: &str) -> Result<(), String> {
    let addresses = address.to_socket_addrs().map_err(|error| format!("{address}: {error}"))?;
    let mut last = format!("{address} has no address");
    for socket in addresses {
        match TcpStream::connect_timeout(&socket, ONE_LOOK) {
            Ok(_) => return Ok(()),
            Err(error) => last = format!("{address}: {error}"),
        }
    }
    Err(last)
}

fn log_holds(log: &Path, text: &str) -> Result<(), String> {
    let found = fs::read(log).is_ok_and(|content| String::from_utf8_lossy(&content).contains(text));
    if found { Ok(()) } else { Err(format!("its log does not hold `{text}`")) }
}

/// The last lines of a log, on lines of their own; empty when there are none.
fn log_end(log: &Path) -> String {
    match desktop::log_end(log).trim() {
        "" => String::new(),
        end => format!("\n{end}"),
    }
}
