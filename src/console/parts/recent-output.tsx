/** Outputs of recent successful jobs, as input for a template. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { ask } from "../api.ts";
import { ago, now } from "../clock.ts";
import { useLoad } from "../load.ts";
import { job, jobRow, jobRowFields } from "../shapes.ts";
import { Problem } from "./problem.tsx";

const maxRows = 50;
const list = `/job?status=finished&operation=query&limit=${maxRows}&include_result=false&fields=${jobRowFields}`;

/** @param take receives the output, text or parsed. */
export function RecentOutput({ take }: { take: (output: unknown) => void }) {
  const [id, setId] = useState("");
  const jobs = useLoad((signal) => ask(v.array(jobRow), list, { signal }), []);
  const chosen = useLoad(
    async (signal) => (id === "" ? [] : ask(v.array(job), `/job?id=${encodeURIComponent(id)}`, { signal })),
    [id],
  );
  const outputs = Object.entries(outputsOf(chosen.data?.[0]?.result?.retval));
  return (
    <div class="filters">
      <select
        aria-label="Job to take the output from"
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
      >
        <option value="">an output of …</option>
        {(jobs.data ?? []).map(({ id, host, driver, label, created_at }) => (
          <option key={id} value={id}>
            {[host, driver, label, ago(created_at, now.peek())].filter(Boolean).join(" · ")}
          </option>
        ))}
      </select>
      {outputs.map(([command, output]) => (
        <button key={command} type="button" class="quiet" onClick={() => take(output)}>
          {command.split("\n")[0] || "output"}
        </button>
      ))}
      {jobs.data?.length === 0 && <span class="faint">No finished queries yet.</span>}
      <Problem error={jobs.error ?? chosen.error} />
    </div>
  );
}

function outputsOf(retval: unknown): Readonly<Record<string, unknown>> {
  const parsed = v.safeParse(v.record(v.string(), v.unknown()), retval);
  if (parsed.success && !Array.isArray(retval)) return parsed.output;
  return retval === null || retval === undefined ? {} : { "": retval };
}
