/** The states of a device's configuration. */
import { type DeviceHistoryState, statesOf } from "../../../api/history/history.ts";
import type { Configured } from "../../shapes/history.ts";
import { text } from "../../text/text.ts";
import { Signed } from "../status.tsx";

/** Each state that a device is in, with what is known of it. */
export function States({ of }: { of: Configured }) {
  const states = statesOf(of);
  if (states.length === 0) return <Signed sign="✓" of={text.history.good} like="finished" />;
  return (
    <span class="badges">
      {states.map((state) => (
        <span key={state} class="badge" title={text.history.states[state]}>
          {detailOf(state, of)}
        </span>
      ))}
    </span>
  );
}

function detailOf(state: DeviceHistoryState, { error, suspects }: Configured): string {
  if (state === "failed" && error !== null) return `${state}: ${error}`;
  return state === "suspect" && suspects > 1 ? `${suspects} × ${state}` : state;
}
