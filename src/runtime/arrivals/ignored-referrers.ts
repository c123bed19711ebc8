/**
 * Hosts of payment and sign-in to which sites send their visitors in the middle of a visit: coming back from there is no new source. Only
 * hosts whose pages are nothing else are listed, in the notation of `HostList`.
 */

const PAYMENT =
  // Payment providers
  "stripe.com *.stripe.com paypal.com *.paypal.com paypalobjects.com braintreegateway.com *.braintreegateway.com adyen.com *.adyen.com " +
  "*.adyenpayments.com mollie.com *.mollie.com checkout.com *.checkout.com *.worldpay.com *.opayo.eu.elavon.com *.opayo.co.uk " +
  "*.sagepay.com *.authorize.net *.2checkout.com *.payu.com *.payu.in *.payu.pl *.przelewy24.pl *.tpay.com *.dotpay.pl *.paynow.pl " +
  "*.trustly.com *.worldline-solutions.com *.ogone.com *.ingenico.com *.saferpay.com *.datatrans.com *.datatrans.ch *.sips-services.com " +
  "*.payplug.com *.payzen.eu *.lyra.com *.systempay.fr *.monetico-services.com *.redsys.es *.multisafepay.com *.buckaroo.nl *.pay.nl " +
  "*.mercadopago.com *.mercadopago.com.br *.mercadopago.com.ar *.mercadopago.com.mx *.pagseguro.uol.com.br *.razorpay.com *.paytm.in " +
  "*.phonepe.com *.ccavenue.com *.payfast.co.za *.paystack.com *.flutterwave.com *.gocardless.com *.recurly.com *.chargebee.com " +
  "*.paddle.com *.fastspring.com *.cleverbridge.com *.bluesnap.com *.nexi.it *.nets.eu *.quickpay.net *.epay.dk *.vivapayments.com " +
  "*.vivawallet.com *.comgate.cz *.gopay.com *.gopay.cz *.barion.com *.simplepay.hu *.iyzipay.com *.paytr.com *.yookassa.ru *.robokassa.ru " +
  "*.cloudpayments.ru *.liqpay.ua *.wayforpay.com *.komoju.com *.gmo-pg.com *.midtrans.com *.xendit.co *.ipay88.com *.paymongo.com " +
  "*.eway.com.au *.pinpayments.com *.windcave.com *.moneris.com *.bambora.com *.computop-paygate.com *.unzer.com *.novalnet.de " +
  "*.payone.com *.micropayment.de *.twint.ch *.postfinance.ch *.wallee.com *.payrexx.com *.sumup.com *.squareup.com *.square.link " +
  // Wallets, transfers, payment by instalments
  "pay.google.com payments.google.com pay.amazon.com payments.amazon.com *.payments.amazon.com pay.shopify.com checkout.shopify.com " +
  "checkout.klarna.com pay.klarna.com payments.klarna.com login.klarna.com *.playground.klarna.com sofort.com *.sofort.com giropay.de " +
  "*.giropay.de ideal.nl *.ideal.nl *.paydirekt.de *.afterpay.com *.clearpay.co.uk *.riverty.com *.affirm.com *.alma.eu *.scalapay.com " +
  "*.oney.fr *.ratepay.com *.skrill.com *.neteller.com *.paysafecard.com *.paysafe.com *.swish.nu *.vipps.no *.mobilepay.dk *.satispay.com " +
  "*.bancontact.com *.mbway.pt *.alipay.com *.truelayer.com *.tink.com *.plaid.com commerce.coinbase.com *.bitpay.com " +
  // 3-D Secure
  "*.cardinalcommerce.com *.arcot.com *.rsa3dsauth.com *.3dsecure.io *.netcetera-payment.ch *.securesuite.co.uk *.wlp-acs.com " +
  "*.modirum.com *.gpayments.net";

const SIGN_IN =
  "accounts.google.com accounts.youtube.com login.microsoftonline.com login.microsoftonline.us login.microsoft.com login.live.com " +
  "login.windows.net account.live.com account.microsoft.com *.b2clogin.com *.ciamlogin.com appleid.apple.com account.apple.com " +
  "idmsa.apple.com login.yahoo.com api.login.yahoo.com accounts.zoho.com accounts.zoho.eu accounts.spotify.com id.atlassian.com " +
  "auth.atlassian.com login.salesforce.com signin.aws.amazon.com *.signin.aws.amazon.com access.line.me kauth.kakao.com " +
  "accounts.kakao.com nid.naver.com id.twitch.tv oauth.vk.com id.vk.com login.vk.com passport.yandex.ru passport.yandex.com " +
  "oauth.yandex.ru api.twitter.com open.weixin.qq.com graph.qq.com oauth.telegram.org " +
  // Identity providers
  "*.auth0.com *.okta.com *.oktapreview.com *.okta-emea.com *.onelogin.com *.duosecurity.com *.pingone.com *.pingone.eu *.pingidentity.com " +
  "*.amazoncognito.com *.kinde.com *.clerk.accounts.dev *.accounts.dev *.stytch.com *.frontegg.com *.fusionauth.io " +
  "*.workos.com *.authkit.app *.descope.com *.logto.app *.zitadel.cloud *.authing.cn *.hanko.io *.jumpcloud.com " +
  "*.cloudflareaccess.com " +
  // Identity of states and banks
  "login.gov *.login.gov id.me *.id.me *.signicat.com *.criipto.id *.idura.broker nemlog-in.dk *.nemlog-in.dk mitid.dk *.mitid.dk " +
  "*.bankid.com *.bankid.no digid.nl *.digid.nl franceconnect.gouv.fr *.franceconnect.gouv.fr *.franceconnect.fr itsme.be *.itsme.be " +
  "itsme-id.com *.itsme-id.com *.eherkenning.nl id.bund.de *.bundid.de *.id-austria.gv.at *.spid.gov.it *.suomi.fi *.tunnistus.fi " +
  "singpass.gov.sg *.singpass.gov.sg my.gov.au *.my.gov.au signin.account.gov.uk *.account.gov.uk";

export const IGNORED_REFERRERS: readonly string[] = `${PAYMENT} ${SIGN_IN}`.split(" ");
