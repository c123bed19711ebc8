/** What unsaved hosts, referrers and rules would change: the visits of the last 90 days that would have another channel. */
import { useState } from "preact/hooks";
import { previewChannels, type SiteSettings } from "../api/endpoints.ts";
import { problemText } from "../api/http.ts";
import type { ChannelPreview } from "../api/types.ts";
import { channelName } from "../format/dimensions.ts";
import { countOf, formatCount } from "../format/locale.ts";
import { Button, INLINE } from "../kit/inline.tsx";
import { Problem } from "../kit/states.tsx";
import { useAction } from "../state/requests.ts";
import { fill, rich, words } from "../words/words.ts";
import { settingsToSave } from "./settings-form.tsx";

/** The settings that decide, which the preview is of. */
export const DECIDING = ["own_hosts", "ignored_referrers", "channel_rules"] as const;

const textOf = (settings: SiteSettings): string => JSON.stringify(DECIDING.map((name) => settings[name]));

const MOVES_MAX = 8;

function Moves({ preview: { visits, moved, moves } }: { readonly preview: ChannelPreview }) {
  if (visits === 0) return <p>{words.sourceSettings.noVisits}</p>;
  if (moved === 0) return <p>{words.sourceSettings.noMoves}</p>;
  return (
    <>
      <p>{fill(words.sourceSettings.wouldMove, { moved: countOf(moved, words.counts.visit), all: formatCount(visits) })}</p>
      <ul class="moves">
        {moves.slice(0, MOVES_MAX).map(({ channel, proposed, visits: count }) => (
          <li key={`${channel} ${proposed}`}>
            {rich(words.sourceSettings.move, {
              ...INLINE,
              visits: countOf(count, words.counts.visit),
              channel: channelName(channel),
              proposed: channelName(proposed),
            })}
          </li>
        ))}
      </ul>
      {moves.length > MOVES_MAX && <p class="dim">{countOf(moves.length - MOVES_MAX, words.counts.otherMoves)}</p>}
    </>
  );
}

interface ChannelPreviewProps {
  readonly siteId: string;
  /** Typed values. The result disappears with the next change of them. */
  readonly settings: SiteSettings;
}

export function ChannelPreviewButton({ siteId, settings }: ChannelPreviewProps) {
  const [found, setFound] = useState<{ readonly of: string; readonly preview: ChannelPreview } | null>(null);
  const { isBusy, problem, run } = useAction(problemText);
  const typed = textOf(settings);
  const preview = async () => setFound({ of: typed, preview: await previewChannels(siteId, await settingsToSave(siteId, DECIDING)) });
  return (
    <div class="channel-preview">
      <Button onClick={() => void (isBusy || run(preview))}>{isBusy ? words.sourceSettings.counting : words.sourceSettings.preview}</Button>
      <div role="status">{found !== null && found.of === typed && <Moves preview={found.preview} />}</div>
      <Problem text={problem} />
    </div>
  );
}
