//! Who told which fact of a conversation: the first of those that tell the same as what was believed.

use backscroll_model::{Conversation, Fact, FactOrigin};

/// The origin of each fact of `whole`, out of the tellings that it was made of, strongest first.
pub(super) fn of(whole: &Conversation, told: &[Conversation]) -> Vec<FactOrigin> {
    let mut origins = Vec::new();
    for (fact, is_known, tells) in FACTS {
        if !is_known(whole) {
            continue;
        }
        let teller = told.iter().find(|telling| is_known(telling) && tells(telling, whole));
        let origin = teller.and_then(|telling| {
            let own = telling.fact_origins.iter().find(|told| told.fact == fact);
            own.map(|told| &told.origin).or(telling.summary.origins.first())
        });
        origins.extend(origin.map(|origin| FactOrigin { fact, call: None, origin: origin.clone() }));
    }
    origins
}

type Known = fn(&Conversation) -> bool;
type Tells = fn(&Conversation, &Conversation) -> bool;

/// Each fact: whether a conversation has it, and whether a telling tells it as the whole has it.
const FACTS: [(Fact, Known, Tells); 14] = [
    (Fact::Title, |one| one.summary.title.is_some(), |one, whole| one.summary.title == whole.summary.title),
    (
        Fact::Workspace,
        |one| one.summary.workspace.is_some() || one.facts.held_in.is_some(),
        |one, whole| match &whole.summary.workspace {
            Some(workspace) => one.summary.workspace.as_ref() == Some(workspace),
            None => one.facts.held_in == whole.facts.held_in,
        },
    ),
    (
        Fact::Begun,
        |one| one.summary.created_at.is_some(),
        |one, whole| one.summary.created_at == whole.summary.created_at,
    ),
    (
        Fact::Changed,
        |one| one.summary.updated_at.is_some(),
        |one, whole| one.summary.updated_at == whole.summary.updated_at,
    ),
    (Fact::Mode, |one| one.summary.mode.is_some(), |one, whole| one.summary.mode == whole.summary.mode),
    (
        Fact::Models,
        |one| !one.summary.models.is_empty(),
        |one, whole| one.summary.models.iter().any(|model| whole.summary.models.contains(model)),
    ),
    (
        Fact::Parent,
        |one| one.summary.parent.is_some(),
        |one, whole| one.summary.parent == whole.summary.parent,
    ),
    (Fact::Tokens, |one| one.facts.tokens.is_some(), |one, whole| one.facts.tokens == whole.facts.tokens),
    (Fact::Lines, |one| one.facts.lines.is_some(), |one, whole| one.facts.lines == whole.facts.lines),
    (Fact::Context, |one| one.facts.context.is_some(), |one, whole| one.facts.context == whole.facts.context),
    (Fact::Branch, |one| one.facts.branch.is_some(), |one, whole| one.facts.branch == whole.facts.branch),
    (Fact::Todos, |one| !one.facts.todos.is_empty(), |one, whole| one.facts.todos == whole.facts.todos),
    (Fact::Draft, |one| one.facts.draft.is_some(), |one, whole| one.facts.draft == whole.facts.draft),
    (
        Fact::Cost,
        |one| one.facts.cost_cents.is_some(),
        |one, whole| one.facts.cost_cents == whole.facts.cost_cents,
    ),
];
