/** A filter of lists: what the person of the session, or its key, has submitted. */
import { place, refine } from "../../route.ts";
import { text } from "../../text/text.ts";

/** A path of the API with the filter of the page. */
export function filtered(path: string): string {
  const by = place.value.query.get("submitted_by");
  return by === null
    ? path
    : `${path}${path.includes("?") ? "&" : "?"}submitted_by=${encodeURIComponent(by)}`;
}

export function Mine() {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={place.value.query.get("submitted_by") === "me"}
        onChange={(event) => refine({ submitted_by: event.currentTarget.checked ? "me" : undefined })}
      />{" "}
      {text.mine}
    </label>
  );
}
