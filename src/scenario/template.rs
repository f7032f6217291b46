//! Text with pieces that are known only while a case runs: secrets, free ports, the address of the served folder.

use std::{collections::BTreeMap, fmt};

/// A text in which some pieces are filled in late. Everything else (`${var}`, `${env.X}`) was replaced when the
/// scenario was planned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template(Vec<Piece>);

/// A part of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Stands for itself.
    Literal(String),
    /// `${secret.NAME}`.
    Secret(String),
    /// `${port.NAME}`: a free TCP port, the same for one name throughout a case.
    Port(String),
    /// `${serve}`: the address of the folder that cu-run serves, without a slash at its end.
    Serve,
}

/// The late values of one case.
#[derive(Clone, Default)]
pub struct Bindings {
    /// Values of the declared secrets.
    pub secrets: BTreeMap<String, String>,
    /// The ports handed out.
    pub ports: BTreeMap<String, u16>,
    /// The address of the served folder.
    pub serve: Option<String>,
}

impl Template {
    /// A template of these pieces.
    #[must_use]
    pub fn new(pieces: Vec<Piece>) -> Self {
        Self(pieces)
    }

    /// The pieces, in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Whether a secret is in it.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Secret(_)))
    }

    /// The text with every late piece filled in; the name of the first piece without a value otherwise.
    pub fn render(&self, bindings: &Bindings) -> Result<String, String> {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Secret(name) => {
                    text.push_str(bindings.secrets.get(name).ok_or_else(|| format!("secret.{name}"))?);
                }
                Piece::Port(name) => {
                    text.push_str(
                        &bindings.ports.get(name).ok_or_else(|| format!("port.{name}"))?.to_string(),
                    );
                }
                Piece::Serve => {
                    text.push_str(bindings.serve.as_deref().ok_or_else(|| "serve".to_owned())?);
                }
            }
        }
        Ok(text)
    }
}

/// As written, so that no secret's value can appear.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.0 {
            match piece {
                Piece::Literal(literal) => f.write_str(literal)?,
                Piece::Secret(name) => write!(f, "${{secret.{name}}}")?,
                Piece::Port(name) => write!(f, "${{port.{name}}}")?,
                Piece::Serve => f.write_str("${serve}")?,
            }
        }
        Ok(())
    }
}

impl From<&str> for Template {
    fn from(text: &str) -> Self {
        Self(vec![Piece::Literal(text.to_owned())])
    }
}

/// Values of secrets are not for any log.
impl fmt::Debug for Bindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bindings")
            .field("secrets", &self.secrets.keys())
            .field("ports", &self.ports)
            .field("serve", &self.serve)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_shown_without_the_secret_and_rendered_with_it() {
        let template = Template::new(vec![
            Piece::Serve,
            Piece::Literal("/login?key=".to_owned()),
            Piece::Secret("key".to_owned()),
        ]);
        let mut bindings = Bindings { serve: Some("http://127.0.0.1:9".to_owned()), ..Bindings::default() };
        assert_eq!(template.render(&bindings), Err("secret.key".to_owned()));
        bindings.secrets.insert("key".to_owned(), "hunter2".to_owned());
        assert_eq!(template.render(&bindings).unwrap(), "http://127.0.0.1:9/login?key=hunter2");
        assert_eq!(template.to_string(), "${serve}/login?key=${secret.key}");
        assert!(!format!("{bindings:?}").contains("hunter2"));
    }
}
