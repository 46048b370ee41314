/** Result of a job: the error with lines that may have been sent, warnings, the outputs. */

import { useState } from "preact/hooks";
import * as v from "valibot";
import { adviceFor } from "../../../base/text/error-advice.ts";
import { Action } from "../../parts/action.tsx";
import { Rehearsal } from "../../parts/changes/rehearsal.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Output } from "../../parts/output.tsx";
import { Pre } from "../../parts/pre.tsx";
import { Prose } from "../../parts/prose.tsx";
import { ask, may } from "../../reading/api.ts";
import { rehearsed } from "../../shapes/changes.ts";
import type { Job } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

const ofRehearsal = v.pipe(
  v.looseObject({ rehearsal: rehearsed }),
  v.transform(({ rehearsal }) => rehearsal),
);

export function Outcome({ of: { result, warnings = [] } }: { of: Job }) {
  const said = v.safeParse(ofRehearsal, result?.retval);
  return (
    <>
      {warnings.length > 0 && (
        <section class="warnings" aria-label="Warnings">
          <h2>Warnings</h2>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </section>
      )}
      {result?.compared === false && <p class="warning">{text.notCompared}</p>}
      {said.success && <Rehearsal of={said.output} />}
      {result && !said.success && <Output of={result.retval} />}
    </>
  );
}

/** Why it failed and what to do now. */
export function Failure({ of: { operation, status, result } }: { of: Job }) {
  const error = result?.error;
  if (!error) return null;
  const advice = adviceFor(error.type);
  const isCancelled = status === "cancelled";
  return (
    // Who cancels a job has decided it: nothing failed.
    <section class={isCancelled ? "warning" : "problem"} aria-label={isCancelled ? status : "Error"}>
      <h2>{error.type}</h2>
      <p>{error.message}</p>
      {error.command && (
        <p>
          at <code>{error.command}</code>
        </p>
      )}
      {error.outcome === "unknown" &&
        (operation === "config" ? (
          <p>
            <strong>It is unknown whether the device applied it.</strong> Check the device before you send it
            again.
          </p>
        ) : (
          <p>It is unknown how many of these ran:</p>
        ))}
      {error.sent && <Pre>{error.sent.join("\n")}</Pre>}
      {advice && (
        <p>
          <Prose of={advice} />
        </p>
      )}
      {error.type === "HostKeyMismatch" && <ChangedKey of={error} />}
    </section>
  );
}

/** Both fingerprints of a replaced device, and the way to accept the new one. */
function ChangedKey({ of }: { of: NonNullable<NonNullable<Job["result"]>["error"]> }) {
  const [accepted, setAccepted] = useState(false);
  const { host, port, shown, known = [] } = of;
  if (shown === undefined || known.length === 0 || host === undefined) return null;
  const accept = async () => {
    const body = { fingerprint: shown.fingerprint, port };
    await ask(v.unknown(), `/host-key/${encodeURIComponent(host)}/accept`, { method: "POST", body });
    setAccepted(true);
  };
  return (
    <>
      <Facts
        of={[
          [
            "known",
            known.map(({ type, fingerprint }) => (
              <code key={fingerprint}>
                {type} {fingerprint}{" "}
              </code>
            )),
          ],
          [
            "presented",
            <code key="presented">
              {shown.type} {shown.fingerprint}
            </code>,
          ],
        ]}
      />
      {may("admin") && (
        <Action
          label={text.acceptHostKey}
          sure={`Does ${host} itself show ${shown.fingerprint}?`}
          done={text.hostKeyAccepted}
          off={accepted}
          act={accept}
        />
      )}
    </>
  );
}
