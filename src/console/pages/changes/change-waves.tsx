/** The waves of a change, live: devices, their states, what a wave does at the moment, and when it goes on. */
import { StateOfChange, TargetCounts } from "../../parts/changes/change-state.tsx";
import { When } from "../../parts/when.tsx";
import { place, to } from "../../route.ts";
import { askedOf, type OneChange } from "../../shapes/changes.ts";
import { text } from "../../text/text.ts";

export function Waves({ of }: { of: OneChange }) {
  const { waves, state, targets, id } = of;
  if (waves.length === 0) return null;
  const isReturning = state === "returning";
  const returns = isReturning || targets.returned + targets.not_returned > 0;
  const hasCanary = askedOf(of)?.strategy?.canary !== 0;
  const chosen = place.value.query.get("wave");
  return (
    <section aria-label={text.change.wavesTitle}>
      <h2>{text.change.wavesTitle}</h2>
      <ol class="waves">
        {waves.map((count, at) => (
          <li key={String(at)} class={isNow(of, at + 1) ? "now" : undefined}>
            <a
              href={to(["change", id], { wave: chosen === String(at + 1) ? undefined : String(at + 1) })}
              aria-current={chosen === String(at + 1) ? "true" : undefined}
            >
              {text.change.wave(at + 1)}
            </a>{" "}
            {at === 0 && hasCanary && <span class="badge">{text.change.canary}</span>}{" "}
            <span class="faint">{text.change.devices(count)}</span>
            {isNow(of, at + 1) && <Doing of={of} />}
            <Bulks of={of.bulks.filter(({ number, returns: back }) => !back && number === at + 1)} />
            {of.started_at !== null && of.by_wave[at] && <TargetCounts of={of.by_wave[at]} />}
          </li>
        ))}
        {returns && (
          <li class={isReturning ? "now" : undefined}>
            <strong>{text.change.words.return}</strong>{" "}
            {isReturning ? (
              ((of.phase && text.change.returning[of.phase]) ?? text.change.ends)
            ) : (
              <StateOfChange of={state} />
            )}
            <Bulks of={of.bulks.filter(({ returns: back }) => back)} />
          </li>
        )}
      </ol>
    </section>
  );
}

function Bulks({ of }: { of: OneChange["bulks"] }) {
  if (of.length === 0) return null;
  return (
    <p class="tags">
      {of.map(({ bulk_id, phase }) => (
        <a key={bulk_id} href={to(["bulk", bulk_id])}>
          {text.change.bulks[phase] ?? "bulk"}
        </a>
      ))}
    </p>
  );
}

const isNow = ({ state, wave }: OneChange, number: number) =>
  number === wave && (state === "running" || state === "paused" || state === "stopping");

function Doing({ of: { phase, due_at, state } }: { of: OneChange }) {
  if (phase === null) return null;
  return (
    <div>
      {text.change.phases[phase]}
      {due_at !== null && state === "running" && (
        <>
          , {phase === "reading" ? text.change.begins : text.change.goesOn} <When at={due_at} />
        </>
      )}
    </div>
  );
}
