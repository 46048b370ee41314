/** Result of a job: warnings, the error with lines that may have been sent, the outputs. */
import { adviceFor } from "../../base/error-advice.ts";
import { Output } from "../parts/output.tsx";
import type { Job } from "../shapes.ts";

export function Outcome({ of }: { of: Job }) {
  const { result, warnings = [] } = of;
  const error = result?.error;
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
      {error && (
        <section class="problem" aria-label="Error">
          <h2>{error.type}</h2>
          <p>{error.message}</p>
          {error.command && (
            <p>
              at <code>{error.command}</code>
            </p>
          )}
          {error.outcome === "unknown" && (
            <p>
              <strong>It is unknown whether the device applied it.</strong> Check the device before you send
              it again.
            </p>
          )}
          {error.sent && <pre>{error.sent.join("\n")}</pre>}
          {adviceFor(error.type) && <p>{adviceFor(error.type)}</p>}
        </section>
      )}
      {result && <Output of={result.retval} />}
    </>
  );
}
