/** The plan of a change: the lines by devices that get the same ones, what stops it, and what cannot be given back. */
import { ChangeDifference } from "../../parts/changes/change-difference.tsx";
import { Copy } from "../../parts/copy.tsx";
import type { OneChange } from "../../shapes/changes.ts";
import { text } from "../../text/text.ts";
import { otherWarningsOf, rulesOf } from "./change-rules.ts";

/** Texts that are open at first. */
const openGroups = 3;

export function Plan({ of }: { of: OneChange }) {
  const { groups, not_returnable, not_returnable_because, hash, revision, request } = of;
  const rules = rulesOf(of);
  const warnings = otherWarningsOf(of);
  return (
    <section aria-label={text.change.planTitle}>
      <h2>
        {text.change.planTitle}
        {hash !== null && ` ${revision}`}
      </h2>
      {hash === null && (
        <p class="faint">{groups.length > 0 ? text.change.asked : text.change.askedLater(request)}</p>
      )}
      {warnings.length > 0 && (
        <ul class="warnings" aria-label="Warnings">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {not_returnable > 0 && (
        <div class="warning">
          <strong>
            {text.change.notReturnable}: {text.change.devices(not_returnable)}
          </strong>
          <ul>
            {not_returnable_because.map(({ reason, devices, first_devices }) => (
              <li key={reason}>
                {reason}: <Names of={first_devices} all={devices} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {groups.map(({ sha256, lines, cut, devices, first_devices }, at) => (
        <details key={sha256} open={at < openGroups}>
          <summary>
            <strong>{text.change.devices(devices)}</strong>, {text.change.lines(lines.split("\n").length)}:{" "}
            <Names of={first_devices} all={devices} />
          </summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
          <pre class="lines" tabIndex={0}>
            {lines}
          </pre>
          {hash !== null &&
            first_devices
              .slice(0, 1)
              .map((device) => <ChangeDifference key={device} id={of.id} device={device} />)}
          {cut === true && <p class="faint">{text.change.moreLines}</p>}
        </details>
      ))}
      {groups.reduce((sum, { devices }) => sum + devices, 0) < of.waves.reduce((sum, n) => sum + n, 0) && (
        <p class="faint">{text.change.moreGroups}</p>
      )}
      {rules.length > 0 && (
        <>
          <h3>{text.change.rules}</h3>
          <ul class="rules">
            {rules.map((rule) => (
              <li key={rule}>{rule}</li>
            ))}
          </ul>
        </>
      )}
      {hash !== null && (
        <p class="faint hash">
          {text.change.hash} <code>{hash}</code> <Copy value={hash} label={text.change.hash} />
        </p>
      )}
    </section>
  );
}

function Names({ of, all }: { of: readonly string[]; all: number }) {
  return (
    <>
      {of.join(", ")}
      {all > of.length && text.change.andMore(all - of.length)}
    </>
  );
}
