/** The frame of the pages that come before a dashboard. */
import type { ComponentChildren } from "preact";
import { Logo } from "../kit/logo.tsx";
import { PRODUCT_NAME } from "../names.ts";

export const LoginFrame = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <main class="login">
    <div class="login-card">
      <p class="login-brand">
        <Logo /> {PRODUCT_NAME}
      </p>
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);
