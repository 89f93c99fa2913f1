/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sdp.h"

#include <string.h>

static const gchar *const attributes[] = { "control", "crypto", "fmtp",
  "framerate", "framesize", "inactive", "key-mgmt", "mediaclk", "quality",
  "range", "recvonly", "rtcp", "rtcp-mux", "rtpmap", "sendonly", "sendrecv",
  "source-filter", "ts-refclk", "x-dimensions", "x-framerate", NULL
};

/* Of formats for video, and of sound that comes with it. */
static const gchar *const parameters[] = { "a-framerate", "a-framesize", "apt",
  "auxiliarydatasizelength", "bitrate", "caps", "capsversion", "channel-order",
  "chroma-site", "cif", "colorimetry", "config", "configuration",
  "constantduration", "constantsize", "cpresent", "ctsdeltalength",
  "delivery-method", "depth", "dtsdeltalength", "emphasis", "encode",
  "exactframerate", "height", "indexdeltalength", "indexlength", "interlace",
  "interlaced", "interop-constraints", "level", "level-asymmetry-allowed",
  "level-id", "level-idx", "max-don-diff", "max-fr", "max-fs",
  "maxdisplacement", "mode", "object", "octet-align", "packetization-mode",
  "pm", "profile", "profile-id", "profile-level-id", "profile-space", "qcif",
  "randomaccessindication", "robust-sorting", "rtx-time", "sampling",
  "sizelength", "sprop-deint-buf-req", "sprop-interleaving-depth",
  "sprop-max-don-diff", "sprop-maxcapturerate", "sprop-parameter-sets",
  "sprop-pps", "sprop-sps", "sprop-stereo", "sprop-vps", "ssn", "stereo",
  "streamstateindication", "streamtype", "tcs", "tier", "tier-flag", "tx-mode",
  "width", NULL
};

static gboolean
is_known_parameter (const gchar * parameter)
{
  gchar *name = g_ascii_strdown (parameter, strcspn (parameter, "="));
  const gboolean is = g_strv_contains (parameters, g_strstrip (name));

  g_free (name);
  return is;
}

/* @value is a number of a format, a space and parameters. */
static gchar *
reduce_format (const gchar * value)
{
  gchar **parts = g_strsplit (value + strcspn (value, " "), ";", -1);
  GString *reduced = g_string_new_len (value, strcspn (value, " "));
  const gchar *separator = " ";
  guint i;

  for (i = 0; parts[i]; i++)
    if (is_known_parameter (parts[i])) {
      g_string_append_printf (reduced, "%s%s", separator,
          g_strstrip (parts[i]));
      separator = ";";
    }
  g_strfreev (parts);
  return g_string_free (reduced, FALSE);
}

static void
reduce_attribute (GstSDPAttribute * attribute)
{
  gchar *value;

  if (!attribute->value || !g_str_equal (attribute->key, "fmtp"))
    return;
  value = reduce_format (attribute->value);
  g_free (attribute->value);
  attribute->value = value;
}

/* @array is of GstSDPAttribute. Removing them one by one would take the square
 * of their number. */
static void
reduce_attributes (GArray * array)
{
  GstSDPAttribute *all = (GstSDPAttribute *) array->data;
  guint i, kept = 0;

  for (i = 0; i < array->len; i++)
    if (kept < VHM_MAX_SDP_ATTRIBUTES
        && g_strv_contains (attributes, all[i].key)) {
      reduce_attribute (&all[i]);
      all[kept++] = all[i];
    } else {
      g_free (all[i].key);
      g_free (all[i].value);
    }
  g_array_set_size (array, kept);
}

void
vhm_sdp_reduce (GstSDPMessage * sdp)
{
  guint i;

  reduce_attributes (sdp->attributes);
  for (i = 0; i < sdp->medias->len; i++)
    reduce_attributes (g_array_index (sdp->medias, GstSDPMedia,
            i).attributes);
}
