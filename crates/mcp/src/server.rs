//! One client's server: what it offers, how it answers, and how it reports changes. The history is synchronous, so every
//! question runs on a worker thread; a few at a time, because more would only share the same processors.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use backscroll_history::live::{BEAT, Snapshot};
use backscroll_loopback::Workers;
use backscroll_model::{ConversationId, locked};
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
    CompleteResult, CompletionInfo, CustomRequest, CustomResult, ErrorCode, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Reference, ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{Peer, RequestContext, RoleServer, SubscriptionContext};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::sleep;

use crate::answer::ToolError;
use crate::memory::{Memory, Wait};
use crate::{pages, prompts, resources, tools};

/// How many questions run at once.
const WORKERS: usize = 4;

/// How long clients may keep what does not change while the server runs, in milliseconds.
const LISTS_KEPT: u64 = 3_600_000;

const INSTRUCTIONS: &str = "The memory of past Cursor conversations on this machine; read-only. Search before asking the user \
    what was decided or done: search_history with a few telling words, then read_conversation around a hit. Every answer names \
    conversation and message ids: cite them.";

#[derive(Debug, Clone)]
pub(crate) struct Server {
    memory: Arc<Memory>,
    workers: Workers,
    /// The resources that the client wants to hear of, with their stamps.
    subscribed: Arc<Mutex<HashMap<String, i64>>>,
}

impl Server {
    pub(crate) fn new(memory: Arc<Memory>) -> io::Result<Self> {
        Ok(Self { memory, workers: Workers::start(WORKERS)?, subscribed: Arc::default() })
    }

    /// The server of another client, which shares memory and workers.
    pub(crate) fn another(&self) -> Self {
        Self { subscribed: Arc::default(), ..self.clone() }
    }

    /// Does `work` on a worker thread. Reports progress to a client that asked for it, and stops waiting when it is cancelled.
    async fn run<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Memory, &Wait) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let token = context.meta.get_progress_token();
        let (progress, mut reports) = unbounded_channel();
        let wait = Wait::new(token.is_some().then_some(progress));
        let cancel = wait.cancel();
        let memory = Arc::clone(&self.memory);
        let mut answer = self.workers.run(move || work(&memory, &wait));
        let mut reported = None;
        loop {
            tokio::select! {
                done = &mut answer => {
                    return done.map_err(|_| ErrorData::internal_error("This is a bug in backscroll.", None));
                }
                () = context.ct.cancelled() => {
                    cancel.store(true, Ordering::Relaxed);
                    return Err(cancelled());
                }
                Some(report) = reports.recv() => {
                    // Progress goes forward only, says the protocol.
                    let Some(token) = token.clone().filter(|_| reported < Some(report.0)) else { continue };
                    reported = Some(report.0);
                    let _ = context.peer.notify_progress(progress_of(token, report)).await;
                }
            }
        }
    }

    async fn read<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Memory, &Arc<Snapshot>) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        self.run(context, move |memory, _| work(memory, &memory.snapshot())).await
    }

    /// The stamp of every conversation in `uris`: it changes with the conversation.
    async fn stamps(&self, uris: Vec<String>) -> HashMap<String, i64> {
        let memory = Arc::clone(&self.memory);
        self.workers.run(move || stamps(&memory, uris)).await.unwrap_or_default()
    }

    /// Tells the client of changes as long as it is subscribed to anything.
    async fn watch(self, peer: Peer<RoleServer>) {
        loop {
            sleep(BEAT).await;
            let known = locked(&self.subscribed).clone();
            if known.is_empty() || peer.is_transport_closed() {
                return;
            }
            for (uri, stamp) in self.stamps(known.keys().cloned().collect()).await {
                if known.get(&uri) == Some(&stamp) {
                    continue;
                }
                if let Some(kept) = locked(&self.subscribed).get_mut(&uri) {
                    *kept = stamp;
                }
                if peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err() {
                    locked(&self.subscribed).clear();
                    return;
                }
            }
        }
    }
}

fn stamps(memory: &Memory, uris: Vec<String>) -> HashMap<String, i64> {
    let snapshot = memory.snapshot();
    let stamp = |uri: &str| resources::id(uri).map_or(0, |id| snapshot.stamp(&id));
    uris.into_iter().map(|uri| (uri.clone(), stamp(&uri))).collect()
}

#[expect(clippy::cast_precision_loss, reason = "no history has 2^52 conversations")]
fn progress_of(token: rmcp::model::ProgressToken, (done, of): (usize, usize)) -> ProgressNotificationParam {
    let report = ProgressNotificationParam::new(token, done as f64)
        .with_message("The search index is being made; this happens once.");
    if of > 0 { report.with_total(of as f64) } else { report }
}

fn cancelled() -> ErrorData {
    ErrorData::internal_error("The request was cancelled.", None)
}

/// Nothing is at this address.
fn no_resource(uri: &str, why: &str) -> ErrorData {
    let data = serde_json::json!({ "uri": uri });
    ErrorData::resource_not_found(format!("There is no resource at {uri}. {why}"), Some(data))
}

fn invalid(error: &ToolError) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

/// Where a list of resources goes on.
fn page(request: Option<PaginatedRequestParams>) -> Result<usize, ErrorData> {
    let cursor = request.and_then(|request| request.cursor);
    pages::offset(cursor.as_deref()).map_err(|error| invalid(&error))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .build();
        let program = Implementation::new("backscroll", self.memory.version())
            .with_title("Backscroll")
            .with_description("Every conversation that Cursor stored on this machine.");
        ServerConfig::new(capabilities).with_server_info(program).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = ListToolsResult::with_all_items(tools::listed());
        Ok(listed.with_ttl_ms(LISTS_KEPT).with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::listed().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::named(&request.name) else {
            let names = tools::TOOL_NAMES.join(", ");
            return Err(ErrorData::invalid_params(
                format!("There is no such tool. There are: {names}."),
                None,
            ));
        };
        // Before it is its turn: what is wrong is said at once.
        let arguments = match tool.check(request.arguments.unwrap_or_default()) {
            Ok(arguments) => arguments,
            Err(error) => return Ok(CallToolResult::from(error).into()),
        };
        let meta = context.meta.0.0.clone();
        let answer =
            self.run(&context, move |memory, wait| tool.call(memory, arguments, &meta, wait)).await?;
        Ok(answer.map_or_else(CallToolResult::from, CallToolResult::from).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let listed = ListPromptsResult::with_all_items(prompts::listed());
        Ok(listed.with_ttl_ms(LISTS_KEPT).with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(prompt) = prompts::named(&request.name) else {
            return Err(ErrorData::invalid_params("There is no such prompt.", None));
        };
        let given = request.arguments.unwrap_or_default();
        let messages = self.run(&context, move |memory, wait| prompt.messages(memory, &given, wait)).await?;
        Ok(GetPromptResult::new(messages.map_err(|error| invalid(&error))?).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let from = page(request)?;
        let (listed, total) = self
            .read(&context, move |_, snapshot| {
                let shown: Vec<_> = snapshot.shown().collect();
                let page = shown.iter().skip(from).take(resources::PAGE);
                (page.map(|summary| resources::listed(summary)).collect::<Vec<_>>(), shown.len())
            })
            .await?;
        let end = from + listed.len();
        let next = (end < total && !listed.is_empty()).then(|| end.to_string());
        let listed = ListResourcesResult { next_cursor: next, ..ListResourcesResult::with_all_items(listed) };
        Ok(listed.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let listed = ListResourceTemplatesResult::with_all_items(vec![resources::template()]);
        Ok(listed.with_ttl_ms(LISTS_KEPT).with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let id = resources::id(&uri)
            .ok_or_else(|| no_resource(&uri, "Conversations are at backscroll://conversation/{id}."))?;
        let read = self.read(&context, move |memory, snapshot| {
            if snapshot.summary(&id).is_none() {
                return Err(ToolError::new("`search_history` gives ids."));
            }
            resources::read(memory, snapshot, &id)
        });
        let contents = read.await?.map_err(|error| no_resource(&uri, &error.to_string()))?;
        let result = ReadResourceResult::new(vec![contents]);
        Ok(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let is_id = match &request.r#ref {
            Reference::Resource(template) => template.uri == resources::TEMPLATE,
            Reference::Prompt(prompt) => {
                prompts::named(&prompt.name).is_some_and(|prompt| prompt.argument == "id")
            }
            _ => false,
        };
        if !is_id || request.argument.name != "id" {
            return Ok(CompleteResult::default());
        }
        let typed = request.argument.value;
        let mut ids = self.read(&context, move |_, snapshot| resources::completed(snapshot, &typed)).await?;
        let total = ids.len();
        ids.truncate(CompletionInfo::MAX_VALUES);
        let has_more = ids.len() < total;
        let values = CompletionInfo::with_pagination(ids, u32::try_from(total).ok(), has_more);
        Ok(CompleteResult::new(values.unwrap_or_default()))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri;
        let known: Option<ConversationId> = resources::id(&uri);
        let stamp = self
            .read(&context, move |_, snapshot| {
                known.filter(|id| snapshot.summary(id).is_some()).map(|id| snapshot.stamp(&id))
            })
            .await?;
        let stamp = stamp.ok_or_else(|| no_resource(&uri, "`search_history` gives ids."))?;
        let is_first = {
            let mut subscribed = locked(&self.subscribed);
            let is_first = subscribed.is_empty();
            subscribed.insert(uri, stamp);
            is_first
        };
        if is_first {
            tokio::spawn(self.clone().watch(context.peer.clone()));
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        locked(&self.subscribed).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.iter().flatten();
        let known: Vec<String> = uris.filter(|uri| resources::id(uri).is_some()).cloned().collect();
        let mut accepted = SubscriptionFilter::default();
        if !known.is_empty() {
            // Before the client hears that it is subscribed: no change from then on is missed.
            let now = tokio::task::block_in_place(|| stamps(&self.memory, known.clone()));
            locked(&self.subscribed).extend(now);
            accepted.resource_subscriptions = Some(known);
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let uris: Vec<String> = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let mut known = locked(&self.subscribed).clone();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = sleep(BEAT) => {}
            }
            if uris.is_empty() {
                continue;
            }
            let now = self.stamps(uris.clone()).await;
            for (uri, stamp) in &now {
                if known.get(uri) != Some(stamp) && context.sink().notify_resource_updated(uri).await.is_err()
                {
                    return Ok(());
                }
            }
            known.extend(now);
        }
    }

    /// Requests that are none: unknown methods, and known ones whose parameters have another shape.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let is_stateless =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let params = request.params.unwrap_or_default();
        let is_our_tool = params.get("name").and_then(|name| name.as_str()).and_then(tools::named).is_some();
        match request.method.as_str() {
            "tools/call" if is_our_tool => {
                let says = ToolError::new("`arguments` must be an object, such as {\"query\": \"tide\"}.");
                let result = serde_json::to_value(CallToolResult::from(says)).unwrap_or_default();
                Ok(CustomResult::new(result))
            }
            method if KNOWN_METHODS.contains(&method) && !(is_stateless && method.ends_with("subscribe")) => {
                Err(ErrorData::invalid_params(format!("The parameters of {method} are not right."), None))
            }
            method => {
                let says = format!("There is no method {}.", crate::answer::cut(method, 80));
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, says, None))
            }
        }
    }
}

/// Methods whose parameters may be wrong.
const KNOWN_METHODS: [&str; 7] = [
    "tools/call",
    "prompts/get",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "subscriptions/listen",
];
