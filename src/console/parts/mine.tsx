/** A filter of lists: what the person of the session, or its key, has submitted. */
import { place, refine } from "../route.ts";
import { text } from "../text.ts";

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
