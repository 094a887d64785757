//! From a writer on a worker thread to the body of an answer, piece by piece. The browser sees the first piece while
//! the rest is still being made, memory holds a few pieces at most, and a reader who stops reading is given up.

use std::io::{self, Write};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::timeout;

const PIECE: usize = 32 * 1024;
/// How many pieces may wait for a slow reader.
const WAITING: usize = 8;
/// How long a reader may not read.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where a worker writes.
pub(crate) struct Pipe {
    piece: Vec<u8>,
    out: mpsc::Sender<io::Result<Bytes>>,
    runtime: Handle,
}

impl Pipe {
    fn send(&mut self, piece: io::Result<Bytes>) -> io::Result<()> {
        let sent = self.runtime.block_on(timeout(PATIENCE, self.out.send(piece)));
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::take(&mut self.piece));
        self.send(Ok(piece))
    }
}

/// A body of what `work` writes on a thread of its own. If `work` fails, the answer is cut off, so that nobody takes it for whole.
pub(crate) fn body(work: impl FnOnce(&mut Pipe) -> io::Result<()> + Send + 'static) -> Body {
    let (out, pieces) = mpsc::channel(WAITING);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let mut pipe = Pipe { piece: Vec::new(), out, runtime };
        let done = work(&mut pipe).and_then(|()| pipe.flush());
        if let Err(error) = done {
            // If the reader is gone, there is nobody to tell.
            let _ = pipe.send(Err(error));
        }
    });
    let pieces = stream::unfold(pieces, |mut pieces| async { Some((pieces.recv().await?, pieces)) });
    Body::from_stream(pieces)
}
