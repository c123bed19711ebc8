/** The address of a viewer's page: shown whole, copied, and opened in a new tab. */
import { CopyButton } from "../kit/copy-button.tsx";

interface AddressProps {
  readonly url: string;
  /** What it is, for screen readers. */
  readonly name: string;
  readonly copyLabel: string;
  readonly openLabel: string;
}

export const Address = ({ url, name, copyLabel, openLabel }: AddressProps) => (
  <>
    <pre tabIndex={0} aria-label={name}>
      <code>{url}</code>
    </pre>
    <div class="actions">
      <CopyButton text={url} label={copyLabel} />
      <a class="button" href={url} target="_blank" rel="noopener">
        {openLabel}
      </a>
    </div>
  </>
);
