/** A device selector with a live preview of its matches. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { page } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { place, to } from "../../route.ts";
import { entry } from "../../shapes/inventory.ts";
import { counted } from "../../text/counted.ts";
import { text } from "../../text/text.ts";
import { Problem } from "../problem.tsx";

/** Number of matches shown by name. */
const maxNames = 12;
/** Debounce: typing on cancels the request. */
const restMs = 300;

const chosenBy = (select: string, limit: number) =>
  `/inventory/device?${new URLSearchParams({ select, limit: String(limit) })}`;

/**
 * Number of devices that match; 0 for an empty selector.
 * @throws ApiError
 */
export async function countOf(select: string): Promise<number> {
  if (select.trim() === "") return 0;
  const { total, data } = await page(v.array(entry), chosenBy(select.trim(), 1));
  return total ?? data.length;
}

/** @param props.initial in place of the selector of the address */
export function Selected({ initial }: { initial?: string | undefined }) {
  const [select, setSelect] = useState(initial ?? place.value.query.get("select") ?? "");
  const { data, error } = useLoad(
    async (signal) => {
      if (select.trim() === "") return undefined;
      await new Promise((rested) => setTimeout(rested, restMs));
      signal.throwIfAborted();
      return { select, ...(await page(v.array(entry), chosenBy(select.trim(), maxNames), { signal })) };
    },
    [select],
  );
  const { total = 0, data: devices = [] } = data?.select === select ? data : {};
  return (
    <div>
      <label for="select">{text.run.selector}</label>
      <input
        id="select"
        name="select"
        class="wide"
        spellcheck={false}
        placeholder={text.run.selectorSample}
        value={select}
        onInput={(event) => setSelect(event.currentTarget.value)}
      />
      {select.trim() !== "" && <Problem error={error} />}
      <p class="tags" role="status">
        {data?.select === select && (
          <>
            <strong>{counted(total, "device")}</strong>
            {devices.map(({ name }) => (
              <a key={name} href={to(["device", name])}>
                {name}
              </a>
            ))}
            {total > devices.length && "…"}
          </>
        )}
      </p>
    </div>
  );
}
