/** What a change would add to and remove from the configuration of a device, read when it is opened. */

import { useState } from "preact/hooks";
import { ask, holds, may } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { go } from "../../route.ts";
import { changePath, targetComparison, targetDifference } from "../../shapes/changes.ts";
import { text } from "../../text/text.ts";
import { Action } from "../action.tsx";
import { Pre } from "../pre.tsx";
import { Problem } from "../problem.tsx";

interface OfDevice {
  /** Of the change. */
  readonly id: string;
  readonly device: string;
}

export function ChangeDifference({ id, device }: OfDevice) {
  const [open, setOpen] = useState(false);
  if (!holds("history")) return null;
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-expanded={open}
        aria-label={`${text.history.difference}: ${device}`}
        onClick={() => setOpen(!open)}
      >
        {text.history.difference}
      </button>
      {open && <Read id={id} device={device} />}
      {open && may("operate") && <Action label={text.change.askDevice} act={() => compare({ id, device })} />}
    </>
  );
}

/** The page of its dry run shows what the device says. */
async function compare({ id, device }: OfDevice): Promise<void> {
  const path = changePath(id, `target/${encodeURIComponent(device)}/compare`);
  const { job, warnings } = await ask(targetComparison, path, { method: "POST" });
  if (job === null) throw new Error(warnings.join(". "));
  go(["job", job.id]);
}

function Read({ id, device }: OfDevice) {
  const path = changePath(id, `target/${encodeURIComponent(device)}/difference`);
  const { data, error } = useLoad((signal) => ask(targetDifference, path, { signal }), [path]);
  if (data === undefined) return error ? <Problem error={error} /> : <p class="empty">{text.loading}</p>;
  const { difference, why, version, newest, present, cut } = data;
  if (difference === null) return <p class="faint">{why}</p>;
  return (
    <div>
      <p class="faint">
        {device}: {version === null ? "" : text.change.compared(version, newest)}
        {present > 0 && text.change.present(present)}
      </p>
      {difference.trim() === "" ? (
        <p class="empty">{text.history.equal}</p>
      ) : (
        <Pre class="lines">{difference}</Pre>
      )}
      {cut === true && <p class="faint">{text.change.cut}</p>}
    </div>
  );
}
