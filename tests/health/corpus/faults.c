/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The faults. Conditions are names, so that the table may contain conditions
 * that the library does not have yet. The rows were written before anything was
 * measured:
 *
 * find: conditions that report the fault, whatever their name says; at least
 * one of them must start
 * first: conditions that send the right person
 * also: consequences that may be reported, too
 *
 * Rows without find are controls: nothing may be reported. */
#include "faults.h"

#include <string.h>

/* Somebody is at the camera: a guard goes there. */
#define TAMPER "covered,obstructed"

/* The view has changed: a technician goes to the mount. */
#define MOUNT "moved,nudged"

/* The lens, or the air in front of it. */
#define UNCLEAR "blurry,low-contrast"

/* The signal between the camera and here. */
#define SIGNAL "corrupted,noisy,striped,signal-loss,frozen,partly-frozen," \
    "looping"

#define DIM "dark,black"
#define CONSEQUENCES "monochrome,color-cast,low-contrast,blurry,noisy,glare," \
    "flapping"

const Fault faults[] = {
  /* Covered, in whole or in part */
  {"cardboard", STAGE_SCENE, fault_cover, {0.15, 0.6, 9, 1.5},
      TAMPER "," DIM, TAMPER "," DIM, CONSEQUENCES ",moved"},
  {"grey-wall", STAGE_SCENE, fault_cover, {0.4, 0.06, 30, 1},
      TAMPER ",moved", TAMPER ",moved", CONSEQUENCES},
  {"black-bag", STAGE_SCENE, fault_cover, {2e-5, 0.3, 6, 1},
      TAMPER "," DIM, TAMPER "," DIM, CONSEQUENCES ",moved"},
  {"cloth", STAGE_SCENE, fault_cloth, {7, 0.5},
      TAMPER ",moved", TAMPER ",moved", CONSEQUENCES},
  {"hand", STAGE_SCENE, fault_hand, {0},
      TAMPER "," DIM ",moved,low-contrast", TAMPER,
      CONSEQUENCES ",moved,shaking"},
  {"spray", STAGE_SCENE, fault_spray, {0.93, 0.95, 0.25},
      TAMPER "," UNCLEAR ",moved", TAMPER "," UNCLEAR,
      CONSEQUENCES ",moved,bright"},
  {"spray-opaque", STAGE_SCENE, fault_spray, {1, 0.9, 0.08},
      TAMPER "," DIM ",moved", TAMPER "," DIM,
      CONSEQUENCES ",moved"},
  {"tape-80", STAGE_SCENE, fault_obstruct, {0.8, 1, 0.3, 4},
      TAMPER ",moved", TAMPER, CONSEQUENCES ",moved"},
  {"tape-50", STAGE_SCENE, fault_obstruct, {0.5, 1, 0.3, 4},
      TAMPER ",moved," UNCLEAR, TAMPER, CONSEQUENCES ",moved"},
  {"blob-25", STAGE_SCENE, fault_obstruct, {0.25, 1, 0.1, 6},
      TAMPER, TAMPER, CONSEQUENCES},
  {"leaf-12", STAGE_SCENE, fault_obstruct, {0.12, 1, 0.15, 5},
      TAMPER, TAMPER, CONSEQUENCES},

  /* Turned */
  {"nudged-5", STAGE_VIEW, fault_turn, {0.05}, MOUNT, MOUNT, ""},
  {"rolled-3", STAGE_VIEW, fault_turn, {0, 0, 3}, MOUNT, MOUNT, ""},
  {"rolled-5", STAGE_VIEW, fault_turn, {0, 0, 5}, MOUNT, MOUNT, ""},
  {"nudged-15", STAGE_VIEW, fault_turn, {0.15}, MOUNT, MOUNT, ""},
  {"turned-40", STAGE_VIEW, fault_turn, {0.4}, "moved," TAMPER, "moved",
      CONSEQUENCES ",nudged"},
  {"rolled-20", STAGE_VIEW, fault_turn, {0, 0, 20}, "moved", MOUNT,
      CONSEQUENCES ",nudged"},
  {"tilted-30", STAGE_VIEW, fault_turn, {0, 0.3}, "moved," TAMPER, MOUNT,
      CONSEQUENCES ",nudged"},
  {"other-side", STAGE_VIEW, fault_turn, {1.7}, "moved," TAMPER, "moved",
      CONSEQUENCES ",nudged"},
  {"upside-down", STAGE_VIEW, fault_turn, {0, 0, 180}, "moved", MOUNT,
      CONSEQUENCES ",nudged"},
  {"to-sky", STAGE_VIEW, fault_turn, {0, 1.2}, "moved," TAMPER,
      "moved," TAMPER, CONSEQUENCES ",nudged,bright"},
  {"to-ground", STAGE_VIEW, fault_turn, {0, -1.1}, "moved," TAMPER,
      "moved," TAMPER, CONSEQUENCES ",nudged"},
  {"zoomed-2", STAGE_VIEW, fault_turn, {0, 0, 0, 2}, "moved,nudged,blurry",
      MOUNT, CONSEQUENCES ",nudged,moved"},
  {"turning-on", STAGE_VIEW, fault_turn_on, {4}, "moved,shaking",
      "moved,shaking,nudged", CONSEQUENCES ",nudged"},
  {"tour-turned", STAGE_VIEW, fault_turn, {0.4}, "moved," TAMPER, "moved",
      CONSEQUENCES ",nudged",.learn = 250,.views = 4,.on_tour = TRUE},
  {"shaking-8", STAGE_VIEW, fault_shake, {8, 3.1}, "shaking", "shaking",
      MOUNT "," CONSEQUENCES},
  {"shaking-3", STAGE_VIEW, fault_shake, {3, 2.3}, "shaking", "shaking",
      MOUNT "," CONSEQUENCES},

  /* The lens and the air in front of it */
  {"defocus-1.5", STAGE_SCENE, fault_defocus, {1.5}, "blurry", UNCLEAR, ""},
  {"defocus-2.5", STAGE_SCENE, fault_defocus, {2.5}, "blurry", UNCLEAR,
      "low-contrast"},
  {"defocus-6", STAGE_SCENE, fault_defocus, {6}, UNCLEAR "," TAMPER, UNCLEAR,
      "covered,obstructed,low-contrast,moved"},
  {"defocus-slowly", STAGE_SCENE, fault_defocus, {6}, "blurry,drifting",
      UNCLEAR ",drifting", "covered,obstructed,low-contrast,moved",
      .last = 400,.ramp = 300},
  {"condensation", STAGE_SCENE, fault_defocus, {4, 0.4}, UNCLEAR "," TAMPER,
      UNCLEAR, "covered,obstructed,low-contrast,moved"},
  {"raindrops", STAGE_SCENE, fault_drops, {90, 13, 7}, UNCLEAR "," TAMPER,
      UNCLEAR ",obstructed", CONSEQUENCES ",nudged"},
  {"fog-30", STAGE_SCENE, fault_fog, {0.3}, UNCLEAR, UNCLEAR,
      "covered,color-cast,monochrome"},
  {"fog-12", STAGE_SCENE, fault_fog, {0.12}, UNCLEAR "," TAMPER, UNCLEAR,
      "covered,color-cast,monochrome,moved"},

  /* Light and color */
  {"black", STAGE_FRAME, fault_fill, {16, 128, 128}, DIM, DIM,
      SIGNAL "," CONSEQUENCES},
  {"underexposed", STAGE_SENSOR, fault_exposure, {0.03}, DIM, DIM,
      CONSEQUENCES},
  {"overexposed", STAGE_SENSOR, fault_exposure, {20}, "bright", "bright",
      CONSEQUENCES},
  {"lights-out", STAGE_VIEW, fault_lights_out, {0}, DIM ",noisy", DIM ",noisy",
      CONSEQUENCES,.when = WHEN_NIGHT},
  {"torch", STAGE_SCENE, fault_glare, {0.5, 60, 0.12}, "bright,glare",
      "bright,glare", DIM "," CONSEQUENCES ",covered,obstructed"},
  {"glare-spot", STAGE_SCENE, fault_glare, {0.05, 30, 0.05}, "glare,bright",
      "glare,bright", DIM "," CONSEQUENCES ",obstructed"},
  {"hunting", STAGE_SENSOR, fault_hunting, {2.2, 6}, "hunting", "hunting",
      "dark,bright," CONSEQUENCES},
  {"hunting-fast", STAGE_SENSOR, fault_hunting, {1.5, 2}, "hunting",
      "hunting,flashing", "flashing,dark,bright," CONSEQUENCES},
  {"strobe", STAGE_FRAME, fault_flash, {5, 1}, "flashing", "flashing",
      "hunting,bright,banding",.fps = 25},
  {"magenta", STAGE_SENSOR, fault_cast, {1.5, 1, 1.5}, "color-cast",
      "color-cast", "",.when = WHEN_DAY},
  {"green", STAGE_SENSOR, fault_cast, {0.65, 1, 0.65}, "color-cast",
      "color-cast", "",.when = WHEN_DAY},
  {"yellow", STAGE_SENSOR, fault_cast, {1.2, 1.1, 0.45}, "color-cast",
      "color-cast", "",.when = WHEN_DAY},
  {"blue", STAGE_SENSOR, fault_cast, {0.6, 0.9, 1.6}, "color-cast",
      "color-cast", "",.when = WHEN_DAY},
  {"any-hue", STAGE_SENSOR, fault_cast, {0}, "color-cast", "color-cast", "",
      .when = WHEN_DAY},
  {"chroma-lost", STAGE_FRAME, fault_chroma_lost, {0}, "monochrome,color-cast",
      "monochrome,color-cast", "flapping",.when = WHEN_DAY},

  /* Noise and analogue lines */
  {"snow", STAGE_FRAME, fault_snow, {1}, SIGNAL ",moved," TAMPER,
      SIGNAL, CONSEQUENCES ",moved,blocky"},
  {"snow-half", STAGE_FRAME, fault_snow, {0.4}, "noisy", SIGNAL,
      CONSEQUENCES ",moved,blocky"},
  {"gain-noise", STAGE_SENSOR, fault_gain, {10}, "noisy", "noisy",
      CONSEQUENCES ",blocky",.when = WHEN_DAY},
  {"gain-noise-60", STAGE_SENSOR, fault_gain, {60}, "noisy", "noisy",
      CONSEQUENCES ",blocky",.when = WHEN_DAY},
  {"mains-bands", STAGE_PLANES, fault_bands, {0.15, 4, 1.3}, "banding,striped",
      "banding,striped", "flashing",.fps = 25},
  {"hum-bars", STAGE_PLANES, fault_bands, {0.1, 1.5, 0.35, 1},
      "banding,striped", "banding,striped", "flashing,hunting",.fps = 25},
  {"diagonal-stripes", STAGE_PLANES, fault_stripes, {0.12, 14, 9, 0.8},
      "striped", "striped", "banding,noisy,blurry"},
  {"rolling-sync", STAGE_FRAME, fault_roll_sync, {0.4}, SIGNAL ",moved",
      SIGNAL, MOUNT ",shaking,banding"},
  {"tearing", STAGE_FRAME, fault_tear, {0.5}, SIGNAL ",moved", SIGNAL,
      MOUNT ",shaking,banding"},

  /* Signals that stand still */
  {"freeze", STAGE_FRAME, fault_freeze, {0}, "frozen", "frozen", ""},
  {"freeze-noise", STAGE_FRAME, fault_freeze, {0.06}, "frozen", "frozen", ""},
  {"freeze-clock", STAGE_FRAME, fault_freeze, {0, 1}, "frozen,partly-frozen",
      "frozen,partly-frozen", ""},
  {"freeze-decoded", STAGE_DECODED, NULL, {0}, "frozen", "frozen", ""},
  {"half-frozen", STAGE_FRAME, fault_freeze_part, {0.5, 1}, "partly-frozen",
      "partly-frozen,frozen", "frozen"},
  {"loop-2", STAGE_FRAME, fault_loop, {2}, "looping", "looping", "frozen"},
  {"loop-8", STAGE_FRAME, fault_loop, {8}, "looping", "looping", "frozen"},
  {"no-signal-blue", STAGE_FRAME, fault_fill, {41, 240, 110},
      SIGNAL ",covered,moved," DIM, SIGNAL ",covered,moved", CONSEQUENCES},
  {"color-bars", STAGE_FRAME, fault_color_bars, {0}, SIGNAL ",covered,moved",
      SIGNAL ",covered,moved", CONSEQUENCES},
  {"grey-frames", STAGE_FRAME, fault_fill, {126, 128, 128},
      SIGNAL ",covered,moved", SIGNAL ",covered,moved", CONSEQUENCES},
  {"cable-pulled", STAGE_DECODED, NULL, {1}, "signal-loss", "signal-loss", "",
      .last = 20},

  /* Coder and network */
  {"packet-loss-3", STAGE_NETWORK, NULL, {0.03}, "corrupted", "corrupted",
      SIGNAL ",blocky"},
  {"packet-loss-15", STAGE_NETWORK, NULL, {0.15}, "corrupted", "corrupted",
      SIGNAL "," MOUNT ",blocky,covered," UNCLEAR},
  {"flipped-bits", STAGE_NETWORK, NULL, {0, 6e-4}, "corrupted", "corrupted",
      SIGNAL "," MOUNT ",blocky,covered," UNCLEAR},
  {"lower-half-green", STAGE_FRAME, fault_slices, {0.5, 0}, "corrupted",
      SIGNAL, SIGNAL ",moved," TAMPER "," CONSEQUENCES},
  {"lower-half-grey", STAGE_FRAME, fault_slices, {0.5, 1}, "corrupted",
      SIGNAL, SIGNAL ",moved," TAMPER "," CONSEQUENCES},
  {"smeared", STAGE_FRAME, fault_slices, {0.5, 2}, "corrupted",
      SIGNAL, SIGNAL ",moved," TAMPER "," CONSEQUENCES},
  {"mosaic", STAGE_FRAME, fault_mosaic, {0.15, 16}, "corrupted", SIGNAL,
      SIGNAL ",moved,blocky," CONSEQUENCES},
  {"starved", STAGE_CODER, NULL, {0.06}, "blocky,blurry", "blocky,blurry",
      "frozen," CONSEQUENCES},

  /* Soon after the start */
  {"early-cardboard", STAGE_SCENE, fault_cover, {0.15, 0.6, 9, 1.5},
      TAMPER "," DIM ",moved," UNCLEAR, TAMPER "," DIM ",low-contrast",
      CONSEQUENCES ",moved",.learn = 15,.last = 120},
  {"early-black", STAGE_FRAME, fault_fill, {16, 128, 128}, DIM, DIM,
      SIGNAL "," CONSEQUENCES,.learn = 10},
  {"early-green", STAGE_SENSOR, fault_cast, {0.65, 1, 0.65}, "color-cast",
      "color-cast", "",.when = WHEN_DAY,.learn = 40,.last = 25},

  /* Nothing is wrong */
  {"spider", STAGE_SCENE, fault_spider, {0}, "", "", ""},
  {"lit-web", STAGE_SCENE, fault_spider, {1}, "", "", "obstructed"},
  {"lamp-off", STAGE_SCENE, fault_lamp_off, {0.35}, "", "", ""},
  {"lightning", STAGE_FRAME, fault_flash_once, {0}, "", "", ""},
  {"pumping", STAGE_SENSOR, fault_hunting, {0.3, 5}, "", "", ""},
  {"gusts", STAGE_VIEW, fault_shake, {0.7, 0.6}, "", "", ""},
  {"focusing", STAGE_SCENE, fault_defocus, {4}, "", "", "",.last = 3},
  {"tour", STAGE_VIEW, fault_tour, {0}, "", "", "",.views = 4},
  {"joined", STAGE_NONE, NULL, {0}, "", "", "",.last = 3},
  {"dusk", STAGE_NONE, NULL, {0}, "", "", "",.when = WHEN_DUSK,.last = 1800},
};

const guint n_faults = G_N_ELEMENTS (faults);

const Fault *
fault_find (const gchar * name)
{
  guint i;

  for (i = 0; i < n_faults; i++) {
    if (g_str_equal (faults[i].name, name))
      return &faults[i];
  }
  return NULL;
}
