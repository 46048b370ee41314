/** The confirmation of a push, with what its template renders for the devices. */

import { useState } from "preact/hooks";
import * as v from "valibot";
import { Pre } from "../../parts/pre.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ApiError, ask, page } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { entry } from "../../shapes/inventory.ts";
import { text } from "../../text/text.ts";
import type { Operation, Template } from "./run-operation.ts";

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
          <Pre>{rendered}</Pre>
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

interface Preview {
  /** Different texts, with the devices they are for. */
  readonly texts: readonly { readonly names: readonly string[]; readonly rendered: string }[];
  readonly warnings: readonly string[];
  /** Devices it is rendered for. */
  readonly shown: number;
}

/** Devices it is rendered for at most. */
const maxDevices = 20;

/** @throws ApiError the template cannot be rendered for a device, which is named */
async function previewOf(template: Template): Promise<Preview> {
  const names = [...template.names, ...(await selectedNames(template))].slice(0, maxDevices);
  const byText = new Map<string, string[]>();
  const warned = new Set<string>();
  for (const name of names) {
    const { data, warnings } = await renderedFor(template, name);
    for (const warning of warnings) warned.add(warning);
    byText.set(data, [...(byText.get(data) ?? []), name]);
  }
  const texts = [...byText].map(([rendered, names]) => ({ names, rendered }));
  return { texts, warnings: [...warned], shown: names.length };
}

async function selectedNames({ select, names }: Template): Promise<string[]> {
  const room = maxDevices - names.length;
  if (select === "" || room <= 0) return [];
  const search = new URLSearchParams({ select, limit: String(room) });
  return (await ask(v.array(entry), `/inventory/device?${search}`)).map(({ name }) => name);
}

async function renderedFor({ rendering, context }: Template, name: string) {
  const render = (more: object) =>
    page(v.string(), "/template/render", { method: "POST", body: { ...rendering, context, ...more } });
  try {
    return await render({ device: name }).catch((problem: unknown) => {
      // An address, or a name outside of the inventory: it has no variables of its own.
      if (problem instanceof ApiError && problem.status === 422) return render({});
      throw problem;
    });
  } catch (problem) {
    if (!(problem instanceof ApiError)) throw problem;
    throw new ApiError(problem.status, `${name}: ${problem.message}`, problem.data);
  }
}
