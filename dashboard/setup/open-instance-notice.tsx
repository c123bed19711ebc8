/** Says that everybody can see the stats while no password is set. */
import { authState } from "../state/connection.ts";
import { openPanel } from "../state/view.ts";

export const OpenInstanceNotice = () =>
  authState.value === "open" ? (
    <p class="notice">
      No password is set: anyone with this URL can see your stats.{" "}
      <button type="button" class="link" onClick={() => openPanel("password")}>
        Set a password
      </button>
    </p>
  ) : null;
