//! The server on standard input and output.

use std::io;
use std::sync::Arc;

use rmcp::model::JsonRpcMessage;
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ServiceExt as _, transport};

use crate::Memory;
use crate::server::Server;

/// The largest message, in bytes. A larger one is dropped, and the server goes on.
const LARGEST: usize = 4 << 20;

/// Answers on standard input and output until the client closes them.
pub fn serve_stdio(memory: Memory) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(async {
        let (input, output) = transport::io::stdio();
        let lines = AsyncRwTransport::new_server(input, output).with_max_line_length(LARGEST);
        let begun = Server::new(Arc::new(memory))?.serve(FromFirstRequest { lines, has_begun: false }).await;
        match begun {
            Ok(server) => server.waiting().await.map(drop).map_err(io::Error::other),
            // A client that left before it asked for anything.
            Err(_) => Ok(()),
        }
    });
    // Standard input is read by a thread that cannot be stopped.
    runtime.shutdown_background();
    served
}

/// Drops what comes before the first request: a client that begins with something else is not worth ending for.
struct FromFirstRequest<T> {
    lines: T,
    has_begun: bool,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for FromFirstRequest<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.lines.receive().await?;
            self.has_begun |= matches!(message, JsonRpcMessage::Request(_));
            if self.has_begun {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.lines.close()
    }
}
