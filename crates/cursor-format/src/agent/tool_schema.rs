//! Which tool stands under which number of a tool call, and how its fields are to be shown. One table, and its reader.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use backscroll_model::ToolStatus;

/// The tools: a line with number and name, below it what it is `given`, what it answers on `success`, its other outcomes
/// (`error` or `cancelled`, each with its number and name), and what a result says `beside` its outcome. Where no other outcome is
/// named, they are those of number 0, which is no tool. `named` are tools of which only the name is known.
///
/// A field is its number and its name: a text, or of the kind after the colon (`:any` is read by its looks), `*name` a list even if there is
/// only one. `name{ … }` is a nested message, `name:map{ … }` a map from text to such messages. `name:shape` refers to [`SHAPES`],
/// `...shape` stands for all fields of one.
///
/// The plan's file is in field 3 in the descriptors of the SDK; other builds are said to have it in field 4. Reading and writing a
/// canvas fail with their detail in other fields.
const TOOLS: &str = "
0 unknown
  error 2 error 1 error 2 error
  cancelled 3 rejected 1 reason 2 reason 3 reason
  error 4 permissionDenied 1 error 2 error
1 shell
  given 1 command 2 workingDirectory 3 timeout:number 4 toolCallId 5 *simpleCommands 8 parsingResult:any \
        9 requestedSandboxPolicy:any 11 isBackground:flag 15 description
  success ...ran 10 interleavedOutput 15 outputHead 16 outputTail 17 elided:any
  error 2 failure ...ran 9 interleavedOutput 10 abortReason:any 11 aborted:flag \
        16 oomKill{ 1 kind:number 2 memoryLimitBytes:number }
  error 3 timeout 1 command 2 workingDirectory 3 error:any
  cancelled 4 rejected 1 command 2 workingDirectory 3 reason
  error 5 spawnError 1 command 2 workingDirectory 3 error:any
  error 7 permissionDenied 1 command 2 workingDirectory 3 error:any
2 write
  given 1 path 2 contents 3 toolCallId
  success 1 path 2 linesCreated:number 3 fileSize:number
3 delete
  given 1 path 2 toolCallId
4 glob
  given 1 targetDirectory 2 globPattern
  success 1 pattern 2 path 3 *files 4 totalFiles:number
5 grep
  given 1 pattern 2 path 3 glob 4 outputMode 8 caseInsensitive:flag 10 headLimit:number 11 multiline:flag 14 toolCallId
  success 1 pattern 2 path 3 outputMode 4 workspaceResults:map{ 1 count:any 2 files:any 3 content{ 1 *matches{ \
        1 file 2 *matches{ 1 lineNumber:number 2 content 4 isContextLine:flag } } } }
8 read
  given 1 path 2 offset:number 3 limit:number
  success 1 content 2 isEmpty:flag 4 totalLines:number 5 fileSize:number 6 data:bytes 7 path \
        8 readRange{ 1 startLine:number 2 endLine:number } 9 dataBlobId:blobId 10 content:blobText
9 updateTodos
  given 1 *todos:todo 2 merge:flag
  success 1 *todos:todo 2 merge:flag
10 readTodos
  success 1 *todos:todo 2 merge:flag
12 edit
  given 1 path 4 patch{ 1 patchContent } 6 streamContent
  success 1 path 2 resultForModel 3 linesAdded:number 4 linesRemoved:number 5 diffString 6 beforeFullFileContent \
        7 afterFullFileContent 8 message
  error 2 fileNotFound 1 path 2 error
  error 3 readPermissionDenied 1 path 2 error
  error 4 writePermissionDenied 1 path 2 error
  cancelled 6 rejected 1 path 2 reason
  error 7 error 1 path 2 error
13 ls
  given 1 path 2 *ignore 3 toolCallId
14 readLints
  given 1 *paths
15 mcp
  given 1 name 2 args:values 3 toolCallId 4 providerIdentifier 5 toolName 9 serverIdentifier 11 argumentsRepaired:flag
  success 1 *content:any 2 isError:flag 3 structuredContent:any
17 createPlan
  given 1 plan 2 *todos:todo 3 overview 4 name 5 isProject:flag
  error 2 error 1 error 2 error
  beside 3 planUri 4 planUri
18 web_search
  given 1 searchTerm 2 toolCallId
  success 1 *references{ 1 title 2 url 3 chunk }
19 task
  given 1 description 2 prompt 3 subagentType:subagentType 4 model 5 resume 6 agentId
  success 1 *conversationSteps:any 2 agentId 3 isBackground:flag 4 durationMs:number 7 transcriptPath
23 askQuestion
  given 1 title 2 *questions{ 1 id 2 prompt 3 *options{ 1 id 2 label } 4 allowMultiple:flag }
24 fetch
  given 1 url 2 toolCallId
  success 1 url 2 markdown
37 web_fetch
  given 1 url 2 toolCallId
  success 1 url 2 markdown
69 search_conversations
  given 1 query 2 toolCallId 3 limit:number
70 create_goal
  given 1 objective
73 get_agent_status
  given 1 toolCallId 2 *agentIds
74 send_to_agent
  given 1 toolCallId 2 agentId 3 message 4 delivery 5 title 6 model
  success 1 agentId
75 read_agent_transcript
  given ...agent
  success 1 transcript 2 truncated:flag
76 create_agent
  given ...newAgent
  success 1 agentId
77 stop_agent
  given ...agent
  success 1 agentId
79 write_canvas
  given 1 contents 2 canvasId 3 title
  success 1 canvasId 2 title 3 url 4 source
  error 2 failure ...canvasFailure
80 read_canvas
  given 1 canvasId 2 url
  success 1 canvasId 2 title 3 url 4 source
  error 2 failure ...canvasFailure
81 generate_video
  given 1 prompt 2 filePath 3 imagePath 4 *referenceImagePaths 5 durationSeconds:number 6 aspectRatio 7 resolution \
        8 lastFramePath
  success 1 filePath 2 durationSeconds:number
82 x_search
  given 1 query 2 fromDate 3 toDate 4 *allowedHandles 5 *excludedHandles
  success 1 answer 2 *citations{ 1 url 2 title }
85 list_tracked_tasks
  given 1 toolCallId 2 *keys 3 *statusCategories 4 owner 5 linkedAgentId
  success 1 *tasks{ 1 key 2 title 3 statusId 4 statusLabel 5 owner 6 parentKey } 7 message
86 create_tracked_tasks
  given 1 toolCallId 2 *tasks{ 1 clientRef 2 title 3 status 4 owner 5 parent }
  success 1 *created{ 1 clientRef 2 key 3 version:number } 2 message
87 update_tracked_tasks
  given 1 toolCallId 2 *updates{ 1 key 2 title 3 status 4 owner 5 parent }
  success 1 *updated{ 1 key 2 version:number 3 title 4 statusLabel } 3 message
88 delete_tracked_tasks
  given 1 toolCallId 2 *keys
  success 1 *deletedKeys 3 message
89 update_tracked_task_statuses
  given 1 toolCallId 2 *statuses{ 1 id 2 label 4 category }
90 create_project
  given ...newAgent
  success 1 agentId
91 update_tracked_task_tags
  given 1 toolCallId 2 *tags{ 1 id 2 label 3 color }
93 stop_project_updates
  given ...agent
  success 1 agentId
94 start_project_updates
  given ...agent
  success 1 agentId
named 16 semSearch 20 list_mcp_resources 21 read_mcp_resource 22 apply_agent_diff 25 switch_mode 28 generateImage \
      29 record_screen 30 computer_use 31 write_shell_stdin 32 reflect 33 setup_vm 35 grind 36 grind \
      38 report_bugfix_results 39 ai_attribution 40 pr_management 41 mcp_auth 42 await 43 blame 44 get_mcp_tools \
      45 report_bug 46 set_active_branch 48 communicate_update 49 send_final_summary 50 update_pr_code_tour \
      51 replace_env 52 edit_pr_labels 53 record_ci_investigation_findings 55 send_message 56 fetch_cloud_agent_data \
      58 send_to_user 61 pi_read 62 pi_bash 63 pi_edit 64 pi_write 65 pi_grep 66 pi_find 67 pi_ls 68 connect_scm \
      71 update_goal 72 adopt 78 get_pr_code_tour 83 get_origin_pr_code_tour 84 update_origin_pr_code_tour";

/// Shapes that several fields or tools have.
const SHAPES: [(&str, &str); 5] = [
    (
        "ran",
        "1 command 2 workingDirectory 3 exitCode:number 4 signal 5 stdout 6 stderr 7 executionTime:number \
         8 outputLocation{ 1 filePath 2 sizeBytes:number 3 lineCount:number }",
    ),
    ("todo", "1 id 2 content 3 status:todoStatus 6 *dependencies"),
    ("agent", "1 toolCallId 2 agentId 3 mode 4 maxTurns:number"),
    ("newAgent", "1 toolCallId 2 prompt 3 name 4 model 5 baseBranch"),
    ("canvasFailure", "1 code:number 2 detail:any 3 detail"),
];

/// How a field is to be shown.
#[derive(Debug)]
pub(super) enum Kind {
    Text,
    Number,
    Flag,
    Bytes,
    /// A nested message with these fields.
    Message(Vec<Spec>),
    /// A map from text to messages with these fields.
    Map(Vec<Spec>),
    /// A map from text to `google.protobuf.Value`.
    Values,
    /// The id of a blob, kept as such.
    BlobId,
    /// The id of a blob whose text takes its place.
    BlobText,
    TodoStatus,
    SubagentType,
    /// Whatever it is: read by its looks.
    Any,
}

/// One field.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) number: u32,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// A list even if there is only one.
    pub(super) is_list: bool,
}

/// One way in which a tool may have ended.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) number: u32,
    pub(super) name: &'static str,
    pub(super) status: ToolStatus,
    pub(super) fields: Vec<Spec>,
}

/// A tool: its name, its arguments, how it may end.
#[derive(Debug, Default)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) arguments: Vec<Spec>,
    outcomes: Vec<Outcome>,
    /// What a result says beside its outcome.
    pub(super) beside: Vec<Spec>,
}

static READ: LazyLock<BTreeMap<u32, Tool>> = LazyLock::new(read);

/// The tool in field `number` of a tool call, as far as its fields are known.
pub(super) fn by_number(number: u32) -> Option<&'static Tool> {
    READ.get(&number).filter(|_| number != 0)
}

/// All tools.
pub(super) fn all() -> impl Iterator<Item = &'static Tool> {
    READ.range(1..).map(|(_, tool)| tool)
}

/// What stands for a tool that has no number here.
pub(super) fn unknown() -> &'static Tool {
    &READ[&0]
}

impl Tool {
    /// The outcome in field `number` of a result.
    pub(super) fn outcome(&self, number: u32) -> Option<&Outcome> {
        let is_it = |one: &&Outcome| one.number == number;
        let usual = || unknown().outcomes.iter().filter(|_| !self.has_own_failures()).find(is_it);
        self.outcomes.iter().find(is_it).or_else(usual)
    }

    fn has_own_failures(&self) -> bool {
        self.outcomes.iter().any(|one| one.status != ToolStatus::Completed)
    }
}

fn read() -> BTreeMap<u32, Tool> {
    let mut tools: BTreeMap<u32, Tool> = BTreeMap::new();
    let mut number = 0;
    for line in TOOLS.lines() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        if first == "named" {
            while let Some((number, name)) = words.next().zip(words.next()) {
                tools.insert(number.parse().unwrap_or_default(), new(name));
            }
        } else if let Ok(read) = first.parse() {
            number = read;
            tools.insert(number, new(words.next().unwrap_or_default()));
        } else if let Some(tool) = tools.get_mut(&number) {
            match first {
                "given" => tool.arguments = fields(&mut words),
                "success" => tool.outcomes[0].fields = fields(&mut words),
                "beside" => tool.beside = fields(&mut words),
                failed => {
                    let status =
                        if failed == "cancelled" { ToolStatus::Cancelled } else { ToolStatus::Error };
                    let number = words.next().and_then(|number| number.parse().ok()).unwrap_or_default();
                    let name = words.next().unwrap_or_default();
                    tool.outcomes.push(Outcome { number, name, status, fields: fields(&mut words) });
                }
            }
        }
    }
    tools
}

fn new(name: &'static str) -> Tool {
    let success = Outcome { number: 1, name: "success", status: ToolStatus::Completed, fields: Vec::new() };
    Tool { name, outcomes: vec![success], ..Tool::default() }
}

fn fields(words: &mut dyn Iterator<Item = &'static str>) -> Vec<Spec> {
    let mut all = Vec::new();
    while let Some(number) = words.next().filter(|word| *word != "}") {
        if let Some(shape) = number.strip_prefix("...") {
            all.extend(shape_fields(shape));
            continue;
        }
        let name = words.next().unwrap_or_default();
        let (name, is_list) = name.strip_prefix('*').map_or((name, false), |name| (name, true));
        let (name, kind) = match (name.strip_suffix(":map{"), name.strip_suffix('{')) {
            (Some(name), _) => (name, Kind::Map(fields(words))),
            (None, Some(name)) => (name, Kind::Message(fields(words))),
            (None, None) => {
                let (name, kind) = name.split_once(':').unwrap_or((name, "text"));
                (name, kind_named(kind))
            }
        };
        all.push(Spec { number: number.parse().unwrap_or_default(), name, kind, is_list });
    }
    all
}

fn kind_named(name: &str) -> Kind {
    match name {
        "text" => Kind::Text,
        "number" => Kind::Number,
        "flag" => Kind::Flag,
        "bytes" => Kind::Bytes,
        "values" => Kind::Values,
        "blobId" => Kind::BlobId,
        "blobText" => Kind::BlobText,
        "todoStatus" => Kind::TodoStatus,
        "subagentType" => Kind::SubagentType,
        "any" => Kind::Any,
        shape => Kind::Message(shape_fields(shape)),
    }
}

fn shape_fields(shape: &str) -> Vec<Spec> {
    let found = SHAPES.iter().find(|(name, _)| *name == shape).map(|(_, words)| *words);
    fields(&mut found.unwrap_or_default().split_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_read(fields: &[Spec], of: &str) {
        for field in fields {
            assert!(field.number > 0 && !field.name.contains([':', '{', '*', '.']), "{field:?} of {of}");
            if let Kind::Message(inside) | Kind::Map(inside) = &field.kind {
                assert!(!inside.is_empty(), "{field:?} of {of}");
                assert_read(inside, of);
            }
        }
    }

    #[test]
    fn every_word_of_the_table_is_understood() {
        assert_eq!((READ.len(), all().last().map(|tool| tool.name)), (83, Some("start_project_updates")));
        for tool in READ.values() {
            assert_read(&tool.arguments, tool.name);
            assert_read(&tool.beside, tool.name);
            for outcome in &tool.outcomes {
                assert!(outcome.number > 0 && !outcome.name.is_empty(), "{outcome:?} of {}", tool.name);
                assert_read(&outcome.fields, tool.name);
            }
        }
    }
}
