/** What a change would add to and remove from the configuration of a device, read when it is opened. */
import { useState } from "preact/hooks";
import { ask, holds } from "../api.ts";
import { useLoad } from "../load.ts";
import { changePath, targetDifference } from "../shapes-changes.ts";
import { text } from "../text.ts";
import { Problem } from "./problem.tsx";

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
    </>
  );
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
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <pre class="lines" tabIndex={0}>
          {difference}
        </pre>
      )}
      {cut === true && <p class="faint">{text.change.cut}</p>}
    </div>
  );
}
