/** The confirmation of a push, with what its template renders for the devices. */
import { useState } from "preact/hooks";
import { useLoad } from "../load.ts";
import { Problem } from "../parts/problem.tsx";
import { text } from "../text.ts";
import type { Operation } from "./run-operation.ts";
import { previewOf } from "./run-preview.ts";

interface QuestionProps {
  readonly about: Operation;
  readonly push: () => void;
  readonly leave: () => void;
}

export function Question({ about, push, leave }: QuestionProps) {
  const { template, question } = about;
  const [ready, setReady] = useState(template === undefined);
  return (
    <div class="asking" role="alertdialog" aria-label="Push">
      {template && <Rendered of={template} done={() => setReady(true)} />}
      <p>
        {question}{" "}
        <button type="button" class="danger" disabled={!ready} onClick={push}>
          Push
        </button>{" "}
        <button type="button" class="quiet" onClick={leave}>
          {text.no}
        </button>
      </p>
    </div>
  );
}

/** What cannot be rendered cannot be pushed. */
function Rendered({ of, done }: { of: NonNullable<Operation["template"]>; done: () => void }) {
  const { data, error } = useLoad(async () => {
    const preview = await previewOf(of);
    done();
    return preview;
  }, [of]);
  if (error !== undefined) return <Problem error={error} />;
  if (data === undefined) return <p>{text.loading}</p>;
  return (
    <>
      {data.warnings.length > 0 && (
        <ul class="warnings" aria-label="Warnings">
          {data.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {data.texts.map(({ names, rendered }) => (
        <section key={names[0]} aria-label={`Rendered for ${names.join(", ")}`}>
          <h2>{names.join(", ")}</h2>
          <pre>{rendered}</pre>
        </section>
      ))}
      {data.shown < of.count && (
        <p>
          Shown for the first {data.shown} of {of.count} devices.
        </p>
      )}
    </>
  );
}
