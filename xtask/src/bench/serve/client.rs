//! One client of the server: a connection that stays open, and what was waited for on it. It knows as much of HTTP as our
//! server speaks.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::arguments::Trouble;

/// What one question took.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Until the first byte of the body.
    pub(super) first: Duration,
    /// Until the text that was waited for had come, if it came.
    pub(super) awaited: Option<Duration>,
    /// Until the last byte.
    pub(super) whole: Duration,
    pub(super) body: Vec<u8>,
}

/// A connection to the server.
#[derive(Debug)]
pub(super) struct Client {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Client {
    /// A client that knows the token.
    pub(super) fn of(address: SocketAddr, token: &str) -> Result<Self, Trouble> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let head = format!("Host: {address}\r\nAuthorization: Bearer {token}\r\n\r\n");
        Ok(Self { stream: BufReader::with_capacity(64 * 1024, stream), head })
    }

    /// Asks for `path` and reads all of the answer; notes when `awaited` had come.
    pub(super) fn ask(&mut self, path: &str, awaited: Option<&str>) -> Result<Answer, Trouble> {
        let begun = Instant::now();
        let asked = format!("GET {path} HTTP/1.1\r\n{}", self.head);
        self.stream.get_mut().write_all(asked.as_bytes())?;
        let (status, length) = self.head_of_answer()?;
        let mut answer = Answer { status, ..Answer::default() };
        let noted = |body: &[u8], answer: &mut Answer| {
            if answer.first.is_zero() {
                answer.first = begun.elapsed();
            }
            let is_there = || awaited.is_some_and(|text| contains(body, text.as_bytes()));
            if answer.awaited.is_none() && is_there() {
                answer.awaited = Some(begun.elapsed());
            }
        };
        let mut body = Vec::new();
        match length {
            Some(length) => {
                self.take(length, &mut body)?;
                noted(&body, &mut answer);
            }
            None => loop {
                let size = usize::from_str_radix(self.line()?.trim(), 16)?;
                self.take(size, &mut body)?;
                self.line()?;
                if size == 0 {
                    break;
                }
                noted(&body, &mut answer);
            },
        }
        answer.whole = begun.elapsed();
        answer.body = body;
        Ok(answer)
    }

    /// The status, and the body's length if the header has it.
    fn head_of_answer(&mut self) -> Result<(u16, Option<usize>), Trouble> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).unwrap_or_default().parse()?;
        let mut length = None;
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.trim().is_empty() {
                return Ok((status, length));
            }
            if let Some(told) = line.strip_prefix("content-length:") {
                length = Some(told.trim().parse()?);
            }
        }
    }

    fn line(&mut self) -> Result<String, Trouble> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err("the server hung up".into());
        }
        Ok(line)
    }

    fn take(&mut self, size: usize, body: &mut Vec<u8>) -> Result<(), Trouble> {
        let before = body.len();
        (&mut self.stream).take(u64::try_from(size)?).read_to_end(body)?;
        if body.len() - before == size { Ok(()) } else { Err("the answer was cut off".into()) }
    }
}

fn contains(body: &[u8], text: &[u8]) -> bool {
    body.windows(text.len()).any(|window| window == text)
}
