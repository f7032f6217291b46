//! openbox, set up so that it neither eats input nor moves.

/// Its configuration: the browser's windows fill the screen without a frame, others have one; no key belongs to it,
/// and of the mouse only what raises, moves and closes a window.
pub(super) const OPENBOX_CONFIG: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus>
    <focusNew>yes</focusNew>
    <followMouse>no</followMouse>
    <focusLast>yes</focusLast>
    <underMouse>no</underMouse>
    <raiseOnFocus>yes</raiseOnFocus>
  </focus>
  <placement><policy>Smart</policy><center>yes</center><monitor>Primary</monitor></placement>
  <theme>
    <name>Clearlooks</name>
    <titleLayout>NLC</titleLayout>
    <keepBorder>yes</keepBorder>
    <animateIconify>no</animateIconify>
  </theme>
  <desktops><number>1</number><firstdesk>1</firstdesk><popupTime>0</popupTime></desktops>
  <resize><drawContents>yes</drawContents><popupShow>Never</popupShow></resize>
  <keyboard><chainQuitKey>none</chainQuitKey></keyboard>
  <mouse>
    <dragThreshold>8</dragThreshold>
    <doubleClickTime>500</doubleClickTime>
    <context name="Titlebar">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Left" action="Drag"><action name="Move"/></mousebind>
      <mousebind button="Left" action="DoubleClick"><action name="ToggleMaximize"/></mousebind>
    </context>
    <context name="Close">
      <mousebind button="Left" action="Click"><action name="Close"/></mousebind>
    </context>
    <context name="TLCorner TRCorner BLCorner BRCorner Top Bottom Left Right">
      <mousebind button="Left" action="Drag"><action name="Resize"/></mousebind>
    </context>
    <context name="Client">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Middle" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Right" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
    </context>
  </mouse>
  <applications>
    <application class="Chrom*" type="normal"><decor>no</decor><maximized>yes</maximized></application>
    <application class="chrom*" type="normal"><decor>no</decor><maximized>yes</maximized></application>
    <application class="Google-chrome*" type="normal"><decor>no</decor><maximized>yes</maximized></application>
    <application class="firefox*" type="normal"><decor>no</decor><maximized>yes</maximized></application>
    <application class="Firefox*" type="normal"><decor>no</decor><maximized>yes</maximized></application>
  </applications>
</openbox_config>
"#;
