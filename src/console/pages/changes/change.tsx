/** A change: its state and what leads on, its waves, its plan with the votes on it, its devices, and what happened. */

import { useRef } from "preact/hooks";
import { StateOfChange, TargetCounts, totalOf } from "../../parts/changes/change-state.tsx";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Problem } from "../../parts/problem.tsx";
import { When } from "../../parts/when.tsx";
import { ask, may } from "../../reading/api.ts";
import { useChangeNews } from "../../reading/change-news.ts";
import { useLoad } from "../../reading/load.ts";
import { place, to } from "../../route.ts";
import { changePath, type OneChange, oneChange } from "../../shapes/changes.ts";
import { submitterText } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";
import { ChangeList } from "./change-list.tsx";
import { ChangeForm } from "./change-new.tsx";
import { Plan } from "./change-plan.tsx";
import { ChangeRehearsal } from "./change-rehearsal.tsx";
import { Steps, Targets } from "./change-targets.tsx";
import { Ballot } from "./change-votes.tsx";
import { Waves } from "./change-waves.tsx";
import { Words } from "./change-words.tsx";

export function ChangePage({ id }: { id: string }) {
  if (id === "new") return <ChangeForm />;
  return id === "" ? <ChangeList /> : <Known id={id} />;
}

function Known({ id }: { id: string }) {
  const { data, error, reload } = useLoad((signal) => ask(oneChange, changePath(id), { signal }), [id]);
  useChangeNews(changePath(id, "events"), reload, data === undefined ? [] : [data.state]);
  const ballot = useRef<HTMLElement | null>(null);
  if (data === undefined)
    return <NotLoaded title={`Change ${id.slice(-12)}`} error={error} list={["change", text.nav.change]} />;
  if (place.value.query.get("edit") === "true") return <ChangeForm of={data} done={reload} />;
  const hasBegun = data.started_at !== null;
  const plan = (
    <>
      <Plan of={data} />
      <ChangeRehearsal of={data} done={reload} />
      <Ballot at={ballot} of={data} done={reload} />
    </>
  );
  // What was read again only if something has moved.
  const { state, phase, wave, revision, due_at, by_wave, rehearsal } = data;
  const news = JSON.stringify([state, phase, wave, revision, due_at, by_wave, rehearsal]);
  return (
    <article>
      <h1>
        {data.name} <StateOfChange of={state} />
      </h1>
      {may("operate") && <Words of={data} done={reload} />}
      <Problem error={error} />
      {data.origin === "agent" && <AgentReason of={data} />}
      <Standing of={data} toBallot={() => ballot.current?.focus()} />
      <Facts of={factsOf(data)} id={data.id} />
      <Waves of={data} />
      {!hasBegun && plan}
      {totalOf(data.targets) > 0 && <Targets of={data} news={news} />}
      {hasBegun && plan}
      <Steps id={id} news={news} />
      <p class="actions">
        {(["html", "md"] as const).map((form) => (
          <a key={form} class="button quiet" href={changePath(id, `report.${form}`)}>
            {text.change.report[form]}
          </a>
        ))}
      </p>
    </article>
  );
}

/** Where it stands, why, and what leads on. */
function Standing({ of, toBallot }: { of: OneChange; toBallot: () => void }) {
  const { state, reason, waits_for_you, targets, started_at } = of;
  return (
    <>
      {reason !== null && <p class={badStates.has(state) ? "problem reason" : "warning reason"}>{reason}</p>}
      <p role="status">
        {text.change.next[state]}{" "}
        {state === "waiting_approval" && waits_for_you && (
          <button type="button" class="quiet" onClick={toBallot}>
            {text.change.toBallot}
          </button>
        )}
      </p>
      {started_at !== null && <TargetCounts of={targets} />}
    </>
  );
}

/** As text, apart from what the service says itself: a model wrote it. */
function AgentReason({ of: { request } }: { of: OneChange }) {
  return (
    <section class="foreign">
      <h2>{text.change.byAgent}</h2>
      <p>{text.change.agentSays}</p>
      <blockquote>{typeof request.note === "string" ? request.note : ""}</blockquote>
    </section>
  );
}

function factsOf(of: OneChange): readonly Fact[] {
  const { ticket, approvals, request } = of;
  return [
    ["ticket", ticket],
    ["author", submitterText(of.submitted_by)],
    [
      "approvals",
      approvals.needed === 0 ? text.change.noneNeeded : `${approvals.given} of ${approvals.needed}`,
    ],
    ["revision", of.revision],
    ["drafted", <When key="drafted" at={of.created_at} />],
    ["started", of.started_at && <When at={of.started_at} />],
    ["ended", of.ended_at && <When at={of.ended_at} />],
    ["plan expires", of.started_at === null && of.expires_at && <When at={of.expires_at} />],
    [
      "recipe",
      of.run && (
        <a key="recipe" href={to(["recipe", of.run.recipe, of.run.id])}>
          {of.run.recipe}
        </a>
      ),
    ],
    ["note", of.origin !== "agent" && typeof request.note === "string" && request.note],
  ];
}

const badStates: ReadonlySet<OneChange["state"]> = new Set([
  ...([
    "stopping",
    "stopped",
    "returning",
    "returned",
    "partly_returned",
    "needs_person",
    "rejected",
  ] as const),
]);
